package notice

import (
	"fmt"
	"testing"
)

// Many hosts with problems do not flood the terminal.
func TestCausesOfManyHosts(t *testing.T) {
	var lines []string
	n := NewHosts(New(func(line string) { lines = append(lines, line) }), "and others")
	for i := range 2 * maxHosts {
		for range 2 {
			n.Show(fmt.Sprint("host", i), "x", fmt.Sprint("line ", i))
		}
	}
	if len(lines) != maxHosts+1 || lines[maxHosts] != "and others" {
		t.Errorf("%q", lines)
	}
}
