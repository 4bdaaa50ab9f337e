package settings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/site"
	"github.com/politecrawl/politecrawl/robotsext/secret"
)

const (
	proxyKey     = "proxy"
	headerKey    = "header"
	headerForKey = "header-for"
	basicAuthKey = "basic-auth"
)

// secretKeys are the keys whose values are lists of texts with secrets. A crawl stores these
// values masked.
var secretKeys = []string{proxyKey, headerKey, headerForKey, basicAuthKey}

// WithoutSecrets returns the values of a key as a crawl stores them, with *** instead of secrets.
func WithoutSecrets(key string, values []string) []string {
	if !slices.Contains(secretKeys, key) {
		return values
	}
	s := New()
	list := s.list(key)
	_ = list.Replace(values) // it never fails
	s.Config = s.Config.WithoutSecrets()
	return append([]string{}, list.GetSlice()...)
}

// list returns the value of a key that is a list.
func (s *Settings) list(key string) pflag.SliceValue {
	return s.keys.Lookup(key).Value.(pflag.SliceValue)
}

// SecretFlags returns the given flags that contain a secret, each with the environment
// variable to use instead.
func (s *Settings) SecretFlags() map[string]string {
	for _, key := range secretKeys {
		values := s.list(key).GetSlice()
		if s.from[key] == "flag --"+key && !slices.Equal(WithoutSecrets(key, values), values) {
			s.seen["--"+key] = Variable(key)
		}
	}
	if s.given(TokenFlag) {
		s.seen["--"+TokenFlag] = TokenVariable
	}
	return s.seen
}

// moveUsers moves users and passwords from the start URLs to basic-auth. The args are the start
// URLs on the command line.
func (s *Settings) moveUsers(args []string) error {
	auth := s.list(basicAuthKey)
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
		if !slices.Contains(auth.GetSlice(), u.String()) {
			if err := auth.Append(u.String()); err != nil {
				return err
			}
		}
		if s.from[basicAuthKey] == fromDefault {
			s.from[basicAuthKey] = s.from["urls"]
		}
		s.Config.URLs[i] = secret.StripUserinfo(raw)
		if slices.Contains(args, raw) {
			s.seen["a start URL"] = Variable(basicAuthKey)
		}
		if u.User = nil; s.notice != nil && !slices.Contains(told, u.String()) {
			told = append(told, u.String())
			s.notice(fmt.Sprintf("note: the user and password in a start URL are sent to %s only, as with --%s; they are not stored", u, basicAuthKey))
		}
	}
	return nil
}

// restoreSecrets replaces the masked values of an earlier crawl with those of the environment. The
// flag is the one that names the crawl.
func (s *Settings) restoreSecrets(v *viper.Viper, flag string) error {
	for _, key := range secretKeys {
		given := New()
		if isSet(key) {
			if err := assign(given.keys.Lookup(key), v.Get(key)); err != nil {
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
