package cli

import (
	"fmt"
	"strings"
)

// A Page is a text that is being written for people.
type Page struct {
	strings.Builder
	Paint Painter
	Names int // width of the names of fields
}

// Printf writes formatted text.
func (p *Page) Printf(format string, args ...any) { fmt.Fprintf(&p.Builder, format, args...) }

// Field writes a line with its name before it. An empty name continues the field above.
func (p *Page) Field(name, format string, args ...any) {
	p.Printf("  %-*s  %s\n", p.Names, name, fmt.Sprintf(format, args...))
}
