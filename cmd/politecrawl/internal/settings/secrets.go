package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/viper"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/crawler/identity"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// WithoutSecrets returns the values of a key as a crawl stores them, with *** instead of secrets.
func WithoutSecrets(key string, values []string) []string {
	s := New()
	if !s.row(key).Has(flags.Secret) {
		return values
	}
	list := s.list(key)
	*list = values
	s.Config = s.Config.WithoutSecrets()
	return append([]string{}, *list...)
}

// list returns the field of a key that is a list.
func (s *Settings) list(key string) *[]string { return s.row(key).Field.(*[]string) }

// SecretFlags returns the given flags that contain a secret, each with the environment
// variable to use instead.
func (s *Settings) SecretFlags() map[string]string {
	for _, r := range s.rows {
		if r.Has(flags.Secret) && s.from[r.Name] == "flag --"+r.Name {
			if values := *s.list(r.Name); !slices.Equal(WithoutSecrets(r.Name, values), values) {
				s.seen["--"+r.Name] = Variable(r.Name)
			}
		}
	}
	if s.given(flags.ListenToken) {
		s.seen["--"+flags.ListenToken] = flags.TokenVariable
	}
	return s.seen
}

// moveUsers moves users and passwords from the start URLs to basic-auth. The args are the start
// URLs on the command line.
func (s *Settings) moveUsers(args []string) {
	auth := &s.Config.Credentials.BasicAuth
	s.Config.URLs = slices.Clone(s.Config.URLs)
	var told []string // origins
	for i, raw := range s.Config.URLs {
		u, err := site.ParseOrigin(strings.TrimSpace(raw))
		if err != nil || u.User == nil { // checkURLs has accepted all
			continue
		}
		if !slices.Contains(*auth, u.String()) {
			*auth = append(*auth, u.String())
		}
		if s.from[flags.BasicAuth] == fromDefault {
			s.from[flags.BasicAuth] = s.from["urls"]
		}
		s.Config.URLs[i] = secret.StripUserinfo(raw)
		if slices.Contains(args, raw) {
			s.seen["a start URL"] = Variable(flags.BasicAuth)
		}
		if u.User = nil; s.notice != nil && !slices.Contains(told, u.String()) {
			told = append(told, u.String())
			s.notice(fmt.Sprintf("note: the user and password in a start URL are sent to %s only, as with --%s; they are not stored", u, flags.BasicAuth))
		}
	}
}

// restoreSecrets replaces the masked values of an earlier crawl with those of the environment. The
// flag is the one that names the crawl.
func (s *Settings) restoreSecrets(v *viper.Viper, flag string) error {
	for _, r := range s.rows {
		if !r.Has(flags.Secret) {
			continue
		}
		key, given := r.Name, New()
		if isSet(key) {
			if err := assign(given.row(key), v.Get(key)); err != nil {
				return cli.Misuse("%s: %w", Variable(key), err)
			}
		}
		whole := *given.list(key)
		masked := WithoutSecrets(key, whole)
		values := *s.list(key) // of this Config alone
		for i, raw := range values {
			if !strings.Contains(raw, secret.Mask) {
				continue
			}
			at := slices.Index(masked, raw)
			if at < 0 {
				return cli.Misuse("--%s: the crawl uses --%s %q, and %s stands for a secret that is not stored; set %s to the full value, or give --%[2]s",
					flag, key, raw, secret.Mask, Variable(key))
			}
			values[i], s.from[key] = whole[at], "environment "+Variable(key)
			masked[at] = "" // two values may have the same mask
		}
	}
	return nil
}

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
