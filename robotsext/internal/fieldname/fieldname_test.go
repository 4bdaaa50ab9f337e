package fieldname

import "testing"

// TestNearest makes every change of one letter to every name, and takes
// Nearest at its word.
func TestNearest(t *testing.T) {
	for _, field := range []string{"user-agent", "allow", "disallow", "sitemap", "crawl-delay", "content-usage", "content-signal"} {
		changed := map[string]bool{}
		for i := range field {
			changed[field[:i]+field[i+1:]] = true
			for _, b := range "qzAx-" {
				changed[field[:i]+string(b)+field[i+1:]] = true
				changed[field[:i]+string(b)+field[i:]] = true
			}
			if i > 0 {
				changed[field[:i-1]+field[i:i+1]+field[i-1:i]+field[i+1:]] = true
			}
		}
		for name := range changed {
			if got := Nearest(name); got != field {
				t.Errorf("ROB-FMT-11: %q for %q, want %q", got, name, field)
			}
		}
	}
	for name, want := range map[string]string{"Content-Usages": "content-usage", "content-use": "content-usage", "Content-Signals": "content-signal", "ContentSignal": "content-signal"} {
		if got := Nearest(name); got != want {
			t.Errorf("ROB-FMT-11: %q for %q, want %q", got, name, want)
		}
	}
	for _, name := range []string{"", "width", "host", "clean-param", "sitemaster", "followed", "allee", "content-type", "content-length", "content-policy", "di\u017fallow", "\u212aallow",
		"Disallow-AI", "DisallowAITraining", "Disallow Robots", "allow_images", "Disallowed", "Dissallow2", "Sitemap-index", "User-agent-foo"} {
		if got := Nearest(name); got != "" {
			t.Errorf("ROB-FMT-11: %q for %q", got, name)
		}
	}
}
