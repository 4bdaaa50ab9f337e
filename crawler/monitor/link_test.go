package monitor

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/politecrawl/politecrawl/crawler/internal/escape"
	"github.com/politecrawl/politecrawl/crawler/internal/hostiletest"
)

func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"plain", hostiletest.Markup, "\xff\xfe", strings.Repeat("é", escape.MaxChars+1)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a := addressOf(text)
		data, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var back address
		if err := json.Unmarshal(data, &back); err != nil || back.Text != a.Text {
			t.Errorf("%q comes back as %q, %v", a.Text, back.Text, err)
		}
		if strings.ContainsAny(string(data), "\r\n<>") {
			t.Errorf("%q would end a line, or be markup", data)
		}
		if a.Href != "" && !strings.HasPrefix(strings.ToLower(a.Href), "http") {
			t.Errorf("a link to %q", a.Href)
		}
	})
}
