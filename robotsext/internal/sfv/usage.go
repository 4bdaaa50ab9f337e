package sfv

import "strings"

// Usage reads content usage preferences (draft-ietf-aipref-vocab, ROB-EXT-05): a
// dictionary in which the tokens y and n have a meaning, granting and refusing a
// category of use. Of a category given twice the last counts; other values say
// nothing. It returns nil if value is no such dictionary.
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
