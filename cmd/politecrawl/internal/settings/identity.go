package settings

import (
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler/identity"
)

// adoptIdentity takes the user agent and the contact from the identity, unless they are set. The crawl opens
// the identity later, but output formats and the live page need the user agent before.
func (s *Settings) adoptIdentity() error {
	dir := s.Config.Fetch.Identity
	if dir == "" {
		return nil
	}
	opened, err := identity.Open(dir, nil)
	if err != nil {
		return cli.Misuse("identity: %w (%s)", cli.QuotePath(err), s.from["identity"])
	}
	its := opened.Settings()
	for key, value := range map[string]string{"user-agent": its.UserAgent, "contact": its.Contact} {
		if value == "" || s.IsSet(key) {
			continue
		}
		if err := s.row(key).Flag.Value.Set(value); err != nil {
			return err
		}
		s.from[key] = "identity " + dir
	}
	return nil
}
