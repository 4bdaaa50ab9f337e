package settings

import (
	"path/filepath"
	"testing"

	"github.com/politecrawl/politecrawl/crawler"
	"github.com/politecrawl/politecrawl/crawler/identity"
)

func TestIdentityGivesUserAgentAndContact(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "identity")
	its := identity.Settings{Agent: "https://bot.example.com", Name: "examplebot", Contact: "crawler@example.com"}
	if _, err := identity.Create(dir, its, identity.FileSource, nil); err != nil {
		t.Fatal(err)
	}
	const agent = "examplebot/1.0 (+https://bot.example.com/)"
	for _, tt := range []struct {
		name           string
		args           []string
		agent, contact string
	}{
		{"no identity", nil, crawler.DefaultUserAgent, ""},
		{"identity", []string{"--identity", dir}, agent, "crawler@example.com"},
		{"both set", []string{"--identity", dir, "--user-agent", "examplebot/2.0", "--contact", "me@example.com"}, "examplebot/2.0", "me@example.com"},
		{"no contact", []string{"--identity", dir, "--contact", ""}, agent, ""},
		{"another user agent, which the crawl refuses", []string{"--identity", dir, "--user-agent", "other/1.0"}, "other/1.0", "crawler@example.com"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := loaded(t, append([]string{"https://example.com/"}, tt.args...)...)
			if got := s.Config.Fetch; got.UserAgent != tt.agent || got.Contact != tt.contact {
				t.Errorf("user agent %q, contact %q", got.UserAgent, got.Contact)
			}
		})
	}
}
