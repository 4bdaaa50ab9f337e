package settings

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// envPrefix begins the environment variable of each key: POLITECRAWL_MAX_PAGES.
const envPrefix = "POLITECRAWL"

// Variable returns the environment variable of a key.
func Variable(key string) string {
	return envPrefix + "_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
}

// isSet tells whether the variable of a key is set. An empty variable is not.
func isSet(key string) bool { return os.Getenv(Variable(key)) != "" }

// checkEnvironment refuses variables that look like ours and set no key: a misspelt
// limit is no limit.
func (s *Settings) checkEnvironment(environ []string) error {
	keys, known := s.names(), s.known()
	var bad []error
	for _, v := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(v, "=")
		rest, ours := strings.CutPrefix(name, envPrefix+"_")
		key := strings.ToLower(strings.ReplaceAll(rest, "_", "-"))
		if !ours || value == "" || slices.Contains(known, key) && name == Variable(key) ||
			slices.Contains(otherVariables, name) || serviceVariable.MatchString(rest) {
			continue
		}
		hint := ""
		if best := cli.Nearest(key, keys); best != "" {
			hint = " (did you mean " + Variable(best) + "?)"
		}
		bad = append(bad, fmt.Errorf("the environment variable %s is unknown%s; unset it; %q lists all variables", name, hint, "politecrawl help settings"))
	}
	return cli.AllMisuse(bad)
}

// otherVariables are read by the completion that cobra provides, and by --listen.
var otherVariables = []string{TokenVariable, redisstore.PasswordVariable, envPrefix + "_ACTIVE_HELP", envPrefix + "_COMPLETION_DESCRIPTIONS"}

// serviceVariable matches what follows the prefix in the variables that Kubernetes
// gives every container beside a service of the name politecrawl.
var serviceVariable = regexp.MustCompile(`^(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// TokenVariable is the environment variable for --listen-token, which other users of the
// machine cannot see.
const TokenVariable = envPrefix + "_LISTEN_TOKEN"

// TokenFlag is the flag with the token of the live page.
const TokenFlag = "listen-token"
