package dotsegment

import "testing"

func TestRemove(t *testing.T) {
	for in, want := range map[string]string{
		"":                  "",
		"/":                 "/",
		"/a/b":              "/a/b",
		"/a/../b":           "/b",
		"/a/%2e%2E/b":       "/b",
		"/a/.%2e/b":         "/b",
		"/./a":              "/a",
		"/a/.":              "/a/",
		"/a/..":             "/",
		"/..":               "/",
		"/../../a":          "/a",
		"/a//../b":          "/a/b",
		"//..":              "/",
		"//a//b":            "//a//b",
		"/.a/..b/...":       "/.a/..b/...",
		"/a/%2e%2e%2e/%20b": "/a/%2e%2e%2e/%20b",
		"/a%2f../b/%2":      "/a%2f../b/%2",
	} {
		t.Run("ROB-MAT-25/"+in, func(t *testing.T) {
			if got := Remove(in); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
