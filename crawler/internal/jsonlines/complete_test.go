package jsonlines

import (
	"strings"
	"testing"
)

func TestCompleteLength(t *testing.T) {
	long := strings.Repeat("x", 4096)
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"empty", "", 0},
		{"one line", "a\n", 2},
		{"torn", "a\nb", 2},
		{"torn from the start", "a", 0},
		{"empty lines", "\n\n", 2},
		{"torn after CR", "a\r\nb\r", 3},
		{"torn where a piece begins", "a\n" + long, 2},
		{"torn over pieces", "a\n" + long + long + "b", 2},
		{"a long line", long + long + "\n", 8193},
		{"nothing but a long torn line", long + long, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, beyond := range []string{"", "c\n", "c"} { // what does not count
				got, err := CompleteLength(strings.NewReader(tt.text+beyond), int64(len(tt.text)))
				if err != nil || got != int64(tt.want) {
					t.Errorf("%d, %v, want %d", got, err, tt.want)
				}
			}
		})
	}
	if _, err := CompleteLength(strings.NewReader("a\n"), 3); err == nil {
		t.Error("a file that is shorter is read")
	}
}
