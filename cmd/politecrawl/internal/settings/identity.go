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
	its, own := opened.Settings(), &s.Config.Fetch
	if its.UserAgent != "" && !s.IsSet("user-agent") {
		own.UserAgent, s.from["user-agent"] = its.UserAgent, "identity "+dir
	}
	if its.Contact != "" && !s.IsSet("contact") {
		own.Contact, s.from["contact"] = its.Contact, "identity "+dir
	}
	return nil
}
