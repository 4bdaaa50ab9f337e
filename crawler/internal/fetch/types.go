package fetch

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Types are the media types of pages to read, such as text/html or text/*. Without any, pages of
// every type are read.
type Types []string

// ParseTypes parses media types.
func ParseTypes(texts []string) (Types, error) {
	var types Types
	for _, text := range texts {
		name, sub, _ := strings.Cut(text, "/")
		if !isTypeName(name) || sub != "*" && !isTypeName(sub) {
			return nil, fmt.Errorf("%q is not a media type; write it as text/html, or as text/* for all types of text", text)
		}
		types = append(types, strings.ToLower(text))
	}
	return types, nil
}

func isTypeName(name string) bool {
	return httpguts.ValidHeaderFieldName(name) && !strings.Contains(name, "*")
}

// Accept reports whether pages of a media type are read.
func (t Types) Accept(media string) bool {
	name, _, whole := strings.Cut(media, "/")
	return len(t) == 0 || slices.Contains(t, media) || whole && slices.Contains(t, name+"/*")
}
