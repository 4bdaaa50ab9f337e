package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

// WithoutSecrets returns the values of a key as a crawl stores them, with *** instead of secrets.
func WithoutSecrets(key string, values []string) []string {
	s := New()
	if !s.row(key).Has(flags.Secret) {
		return values
	}
	list := s.list(key)
	_ = list.Replace(values) // it never fails
	s.Config = s.Config.WithoutSecrets()
	return append([]string{}, list.GetSlice()...)
}

// list returns the value of a key that is a list.
func (s *Settings) list(key string) pflag.SliceValue {
	return s.row(key).Flag.Value.(pflag.SliceValue)
}

// SecretFlags returns the given flags that contain a secret, each with the environment
// variable to use instead.
func (s *Settings) SecretFlags() map[string]string {
	for _, r := range s.rows {
		if r.Has(flags.Secret) && s.from[r.Name] == "flag --"+r.Name {
			if values := s.list(r.Name).GetSlice(); !slices.Equal(WithoutSecrets(r.Name, values), values) {
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
func (s *Settings) moveUsers(args []string) error {
	auth := &s.Config.Credentials.BasicAuth
	s.Config.URLs = slices.Clone(s.Config.URLs)
	var told []string // origins
	for i, raw := range s.Config.URLs {
		u, err := site.ParseOrigin(strings.TrimSpace(raw))
		if err != nil {
			return err
		}
		if u.User == nil {
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
	return nil
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
		whole := given.list(key).GetSlice()
		masked := WithoutSecrets(key, whole)
		values := s.list(key).GetSlice()
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
		if err := s.list(key).Replace(values); err != nil {
			return err
		}
	}
	return nil
}
