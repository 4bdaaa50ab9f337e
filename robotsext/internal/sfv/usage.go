package sfv

import "strings"

// Usage parses content usage preferences (draft-ietf-aipref-vocab, ROB-EXT-05), a dictionary.
// The token y grants a category of use and n refuses it; other values are ignored. The last
// value of a category counts. It returns nil if value is not a valid dictionary.
func Usage(value string) map[string]bool {
	usage := map[string]bool{}
	r := Reader{strings.Trim(value, " ")}
	for more := true; more; {
		category, granted, ok := r.Entry()
		if !ok {
			return nil
		}
		delete(usage, category)
		if granted.Kind == Token && (granted.Text == "y" || granted.Text == "n") {
			usage[category] = granted.Text == "y"
		}
		if more, ok = r.Next(); !ok {
			return nil
		}
	}
	return usage
}
