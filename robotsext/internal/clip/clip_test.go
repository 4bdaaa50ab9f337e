package clip

import "testing"

func TestText(t *testing.T) {
	for _, tt := range []struct {
		in   string
		most int
		want string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc…"},
		{"abé", 3, "ab…"},
		{"ab😀", 5, "ab…"},
		{"ab😀", 6, "ab😀"},
		{"\x80\x80\x80\x80\x80\x80\x80", 6, "\x80\x80…"}, // no UTF-8: does not search further back than a character is long
		{"é", 1, "…"},
		{"\x80\x80", 1, "…"},
	} {
		if got := Text(tt.in, tt.most); got != tt.want {
			t.Errorf("Text(%q, %d) = %q, want %q", tt.in, tt.most, got, tt.want)
		}
	}
}
