package identity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

// FileSource means that the private key is a file in keys/.
const FileSource = "file"

const (
	envSource      = "env:"
	commandSource  = "command:"
	commandTimeout = 30 * time.Second
	maxKey         = 64 << 10 // bytes that a command may print
)

// variableName matches the name of an environment variable.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// checkSource checks a source. Its error does not quote it: users paste keys.
func checkSource(source string) error {
	name, isEnv := strings.CutPrefix(source, envSource)
	command, isCommand := strings.CutPrefix(source, commandSource)
	switch {
	case source == FileSource, isEnv && variableName.MatchString(name), isCommand && len(strings.Fields(command)) > 0:
		return nil
	case isEnv:
		return errors.New("the source of the key has no name of an environment variable after env:; use letters, digits and _, and do not put the key itself there")
	}
	return errors.New("the source of the key is not file, env:NAME or command:PROGRAM ARGS; do not put the key itself there")
}

// describe names a source that has delivered a key before.
func describe(source string) string {
	if name, ok := strings.CutPrefix(source, envSource); ok {
		return "the environment variable " + name
	}
	if command, ok := strings.CutPrefix(source, commandSource); ok {
		return "the command " + strings.Fields(command)[0]
	}
	return "the file of the key"
}

// readKey reads a private key from the environment or a command. Its errors name the source as origin.
func readKey(source, origin string) (botauth.PrivateKey, error) {
	var text []byte
	if name, ok := strings.CutPrefix(source, envSource); ok {
		text = []byte(os.Getenv(name))
		if len(text) == 0 {
			return botauth.PrivateKey{}, fmt.Errorf("cannot read the private key from %s: the environment variable is empty; set it to the key", origin)
		}
	} else {
		var err error
		if text, err = runCommand(strings.Fields(strings.TrimPrefix(source, commandSource))); err != nil {
			return botauth.PrivateKey{}, fmt.Errorf("cannot read the private key from %s: %w; run the command yourself to see why", origin, err)
		}
	}
	return parseKey(origin, text)
}

// parseKey parses a key. Its error names the source and quotes nothing of the text.
func parseKey(origin string, text []byte) (botauth.PrivateKey, error) {
	key, err := botauth.ParseKey(bytes.TrimSpace(text))
	if err != nil {
		return key, fmt.Errorf("%s delivers no key that can be read: it must be an Ed25519 key in PEM (PKCS #8) or a JWK", origin)
	}
	return key, nil
}

// runCommand returns what a command prints. Its error contains neither that nor args: both may be the key.
func runCommand(args []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the user named the program
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("it took longer than %v", commandTimeout)
	case err == nil && len(out) > maxKey:
		return nil, fmt.Errorf("it printed more than %d bytes", maxKey)
	}
	if about, ok := errors.AsType[*exec.Error](err); ok {
		err = about.Err // without the name
	}
	if about, ok := errors.AsType[*fs.PathError](err); ok {
		err = about.Err
	}
	return out, err
}

// load reads the private key of a key of the identity.
func (d *Identity) load(k Key) (botauth.PrivateKey, error) {
	var key botauth.PrivateKey
	var err error
	origin := describe(k.Source)
	if k.Source == FileSource {
		origin = d.keyFile(k.ID)
		var text []byte
		if text, err = readPrivate(origin); err == nil {
			key, err = parseKey(origin, text)
		}
	} else {
		key, err = readKey(k.Source, origin)
	}
	if err == nil && key.Public().Kid != k.ID {
		err = fmt.Errorf("%s delivers another key than %s", origin, k.ID)
	}
	return key, err
}

// readPrivate reads a file that only its owner may read. Windows has no such modes.
func readPrivate(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the private key: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("other users can read or change the private key %q (mode %04o); run: chmod 600 %[1]q", name, mode)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("cannot read the private key: %w", err)
	}
	return text, nil
}

func (d *Identity) keyFile(id string) string { return filepath.Join(d.dir, "keys", id+".pem") }
