package settings

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/flags"
	"github.com/politecrawl/politecrawl/crawler/frontier/redisstore"
)

// envPrefix is the prefix of the environment variables, as in POLITECRAWL_MAX_PAGES.
const envPrefix = "POLITECRAWL"

// Variable returns the environment variable of a key.
func Variable(key string) string {
	return envPrefix + "_" + strings.ToUpper(strings.ReplaceAll(key, "-", "_"))
}

// isSet reports whether the variable of a key is set and not empty.
func isSet(key string) bool { return os.Getenv(Variable(key)) != "" }

// checkEnvironment rejects unknown variables with our prefix, so that a misspelled setting
// is not ignored silently.
func (s *Settings) checkEnvironment(environ []string) error {
	var bad []error
	for _, v := range slices.Sorted(slices.Values(environ)) {
		name, value, _ := strings.Cut(v, "=")
		rest, ours := strings.CutPrefix(name, envPrefix+"_")
		key := strings.ToLower(strings.ReplaceAll(rest, "_", "-"))
		if !ours || value == "" || s.isKey(key) && name == Variable(key) ||
			slices.Contains(otherVariables, name) || serviceVariable.MatchString(rest) {
			continue
		}
		hint := instead(key)
		if best := cli.Nearest(key, s.names()); best != "" && hint == "" {
			hint = " (did you mean " + Variable(best) + "?)"
		}
		bad = append(bad, fmt.Errorf("the environment variable %s is unknown%s; unset it; %q lists the keys; the variable of a key is POLITECRAWL_ and its upper-case name, with _ for -", name, hint, "politecrawl help settings"))
	}
	return cli.AllMisuse(bad)
}

// otherVariables are variables that are not keys: of --listen, Redis, and the completion of
// cobra.
var otherVariables = []string{flags.TokenVariable, redisstore.PasswordVariable, envPrefix + "_ACTIVE_HELP", envPrefix + "_COMPLETION_DESCRIPTIONS"}

// serviceVariable matches variables, without the prefix, that Kubernetes sets for a service
// named politecrawl.
var serviceVariable = regexp.MustCompile(`^(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)
