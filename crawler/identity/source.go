package identity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

func checkSource(source string) error {
	name, isEnv := strings.CutPrefix(source, envSource)
	command, isCommand := strings.CutPrefix(source, commandSource)
	switch {
	case source == FileSource, isEnv && name != "", isCommand && len(strings.Fields(command)) > 0:
		return nil
	case strings.Contains(source, "PRIVATE KEY"), strings.Contains(source, "{"):
		return errors.New("the source of the key is not file, env:NAME or command:PROGRAM ARGS; do not put the key itself there")
	}
	return fmt.Errorf("%q is not a source of the key: use file, env:NAME or command:PROGRAM ARGS", source)
}

// readKey reads a private key from the environment or a command.
func readKey(source string) (botauth.PrivateKey, error) {
	var text []byte
	if name, ok := strings.CutPrefix(source, envSource); ok {
		text = []byte(os.Getenv(name))
		if len(text) == 0 {
			return botauth.PrivateKey{}, fmt.Errorf("the environment variable %s is empty; set it to the private key", name)
		}
	} else {
		var err error
		if text, err = runCommand(strings.Fields(strings.TrimPrefix(source, commandSource))); err != nil {
			return botauth.PrivateKey{}, err
		}
	}
	return parseKey(source, text)
}

// parseKey parses a key. Its error names the source and quotes nothing of the text.
func parseKey(source string, text []byte) (botauth.PrivateKey, error) {
	key, err := botauth.ParseKey(bytes.TrimSpace(text))
	if err != nil {
		return key, fmt.Errorf("%s delivers no key that can be read: it must be an Ed25519 key in PEM (PKCS #8) or a JWK", source)
	}
	return key, nil
}

// runCommand returns what a command prints. Its error has none of it, since that may be the key.
func runCommand(args []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...) //nolint:gosec // the user named the program
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("it took longer than %v", commandTimeout)
	case err == nil && len(out) > maxKey:
		err = fmt.Errorf("it printed more than %d bytes", maxKey)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the private key from the command %s: %w; run it yourself to see why", args[0], err)
	}
	return out, nil
}

// load reads the private key of a key of the identity.
func (f *Folder) load(k Key) (botauth.PrivateKey, error) {
	var key botauth.PrivateKey
	var err error
	if k.Source == FileSource {
		name := f.keyFile(k.ID)
		text, readErr := os.ReadFile(name)
		if readErr != nil {
			return key, fmt.Errorf("cannot read the private key: %w", readErr)
		}
		key, err = parseKey(name, text)
	} else {
		key, err = readKey(k.Source)
	}
	if err == nil && key.Public().Kid != k.ID {
		err = fmt.Errorf("%s delivers another key than %s", k.Source, k.ID)
	}
	return key.Until(k.Expires), err
}

func (f *Folder) keyFile(id string) string { return filepath.Join(f.dir, "keys", id+".pem") }
