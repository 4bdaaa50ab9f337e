package rulepath

import "testing"

func TestEscapeQuery(t *testing.T) {
	for in, want := range map[string]string{
		"":                      "",
		"/a:b/@'":               "/a:b/@'",
		"/a?":                   "/a?",
		"/a?b=c&d":              "/a?b=c&d",
		"/a/b?c=d/e?f:@g'h":     "/a/b?c=d%2Fe%3Ff%3A%40g%27h",
		"/*?u=http://h/*$":      "/*?u=http%3A%2F%2Fh%2F*$",
		"/?u=http%3A%2F%2Fh%5B": "/?u=http%3A%2F%2Fh%5B",
	} {
		t.Run("ROB-MAT-19/"+in, func(t *testing.T) {
			if got := EscapeQuery(in); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if again := EscapeQuery(want); again != want {
				t.Errorf("escaped again: %q", again)
			}
		})
	}
}
