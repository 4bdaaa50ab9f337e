package credentials

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/politecrawl/politecrawl/robotsext"
)

// A machine is a host with the user and password for it.
type machine struct {
	name, login, password string // an empty name: all other hosts
}

// netrcFile returns the file that NETRC names, or .netrc in the home directory.
func netrcFile() (string, error) {
	if name := os.Getenv("NETRC"); name != "" {
		return name, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".netrc"), err
}

// readNetrc adds the users of the netrc file to the start origins that have no Authorization.
func (s *Store) readNetrc(start []robotsext.Origin) error {
	name, err := netrcFile()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	machines, err := parseNetrc(string(text))
	if err != nil {
		return fmt.Errorf("%q, %w", name, err)
	}
	for _, origin := range distinct(start) {
		if m := machineOf(machines, origin); m != nil && s.fields[origin].Get(authorization) == "" {
			if err := s.add("netrc", origin, authorization, basic(m.login, m.password), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// machineOf returns the first machine of an origin that has a login, or nil if there is none.
func machineOf(machines []machine, origin robotsext.Origin) *machine {
	u, err := url.Parse(string(origin))
	if err != nil {
		return nil
	}
	for i, m := range machines {
		if m.login != "" && (m.name == "" || strings.EqualFold(m.name, u.Hostname())) {
			return &machines[i]
		}
	}
	return nil
}

// parseNetrc parses a netrc file: words such as "machine example.com login me password secret",
// on any number of lines. It ignores accounts and macros.
func parseNetrc(text string) ([]machine, error) {
	var machines []machine
	key, number, macro := "", 0, false
	for line := range strings.Lines(text) {
		number++
		words := strings.Fields(line)
		if macro = macro && len(words) > 0; macro { // it ends with an empty line
			continue
		}
		for _, word := range words {
			if key == "" {
				if strings.HasPrefix(word, "#") { // a comment
					break
				}
				if word != "default" {
					key = word
					continue
				}
				machines = append(machines, machine{})
				continue
			}
			switch last := len(machines) - 1; {
			case key == "machine":
				machines = append(machines, machine{name: word})
			case key == "macdef":
				macro = true
			case last < 0 || key != "login" && key != "password" && key != "account":
				return nil, fmt.Errorf("line %d: it is not a netrc file: machine, login and password, each with a value", number)
			case key == "login":
				machines[last].login = word
			case key == "password":
				machines[last].password = word
			}
			key = ""
		}
	}
	if key != "" {
		return nil, fmt.Errorf("line %d: the last word has no value", number)
	}
	return machines, nil
}
