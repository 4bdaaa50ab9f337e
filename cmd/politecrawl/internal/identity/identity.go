// Package identity has the command identity, which makes, shows and checks the identity of a crawler.
package identity

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/humanize"
	"github.com/politecrawl/politecrawl/crawler/identity"
	"github.com/politecrawl/politecrawl/robotsext/botauth"
)

// Command returns the command "identity".
func Command(streams *cli.Streams) *cobra.Command { return command(streams, time.Now) }

func command(streams *cli.Streams, now func() time.Time) *cobra.Command {
	cmd := cli.Group(&cobra.Command{Use: "identity", Short: "Sign the requests of a crawler, so that sites recognize it"})
	cmd.AddCommand(initCommand(streams, now), rotateCommand(streams, now), showCommand(streams, now), checkCommand(streams, now))
	return cmd
}

// keyUsage is the help on --key, before the default.
const keyUsage = "private key `SOURCE`: file, env:NAME or \"command:PROGRAM ARGS\""

func initCommand(streams *cli.Streams, now func() time.Time) *cobra.Command {
	var (
		s   identity.Settings
		key string
	)
	cmd := &cobra.Command{
		Use:   "init URL [DIR]",
		Short: "Make a key, and the files to publish at a URL",
		Long: `Make the identity of a crawler in the directory DIR (default "identity"): a private key, and
in DIR/public the files to upload to the host of the URL. Sites verify the signatures of the
crawl with them (Web Bot Auth). The URL has https and no path.

The command prints what to do next. It requests nothing. DIR must be empty or missing.

--key says where the private key is. file generates one in DIR/keys, which only you can
read. env:NAME reads it from an environment variable, command:PROGRAM ARGS from the output
of a program, without a shell. Both deliver an Ed25519 key in PEM (PKCS #8) or as JWK,
whenever a crawl starts or the identity changes. The key is never written anywhere else.

Files in DIR/public:

    .well-known/http-message-signatures-directory
                    the public keys, which their private keys have signed for 30 days
    signature-agent-card.json
                    name, contact and purpose for programs
    ip-ranges.json  the networks of --ip-range
    index.html      a page for site owners: who crawls, how to block it
    _headers        header fields of the key directory, for static hosts that read this
                    file; DIR/nginx.conf has them for nginx

Exit code: 0 done, 2 usage error or no valid key, 3 a file could not be read or written.`,
		Example: `  politecrawl identity init https://bot.example.com/
  politecrawl identity init https://bot.example.com/ bot --name examplebot --contact crawler@example.com
  politecrawl identity init https://bot.example.com/ bot --key "command:pass show bot-key"`,
		Args: cli.Args(1, 2, "a URL, and optionally a directory"),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "identity"
			if len(args) > 1 {
				dir = args[1]
			}
			s.Agent = args[0]
			f, err := identity.Create(dir, s, key, &identity.Options{Now: now})
			if err != nil {
				return failed("init", err)
			}
			return streams.Print(madeText(dir, f))
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&s.Name, "name", "politecrawl", "`NAME` of the crawler in robots.txt: letters, - and _")
	flags.StringVar(&s.Contact, "contact", "", "email address `EMAIL` for site owners (default: none)")
	flags.StringVar(&s.Purpose, "purpose", "", "say what the pages are used for, such as search (default: nothing)")
	flags.StringVar(&s.UserAgent, "user-agent", "", "`STRING` of the User-Agent header (default: NAME/1.0 and the URL)")
	flags.StringSliceVar(&s.IPRanges, "ip-range", nil, "`NETWORK` that the crawler sends requests from; repeatable (default: none)")
	flags.StringVar(&key, "key", identity.FileSource, keyUsage)
	return cmd
}

func rotateCommand(streams *cli.Streams, now func() time.Time) *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use:   "rotate DIR",
		Short: "Replace the key in an hour, and keep the old one valid for a day",
		Long: `Make a new key and write DIR/public again. Upload it at once: the new key signs from one hour
later, when no site has an older copy of the key directory. Until then the old key signs. A
crawl that is running needs no restart.

The old key stays in the key directory for 24 more hours. The next "identity" command after
that removes it and its file.

If a key was stolen, delete its file in DIR/keys, or its variable, before you rotate. A key
whose private half cannot be read is removed, and the next one signs at once.

Exit code: 0 done, 2 usage error or no valid key, 3 a file could not be read or written.`,
		Example: `  politecrawl identity rotate identity
  politecrawl identity rotate identity --key env:BOT_KEY_2`,
		Args: cli.Args(1, 1, "the directory of an identity"),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := open("rotate", args[0], now)
			if err != nil {
				return err
			}
			notes, err := f.Rotate(key)
			if err != nil {
				return failed("rotate", err)
			}
			note(streams, notes)
			return streams.Print(fmt.Sprintf("new key %s, which signs from %s\n\n%s\n", f.Keys()[0].ID, humanize.Time(f.Keys()[0].SignsFrom), uploadText(f)) + keysText(f, now()))
		},
	}
	cmd.Flags().StringVar(&key, "key", "", keyUsage+" (default: same)")
	return cmd
}

func showCommand(streams *cli.Streams, now func() time.Time) *cobra.Command {
	var format cli.Format
	cmd := &cobra.Command{
		Use:   "show DIR",
		Short: "Show an identity, and renew its published files",
		Long: `Show the settings and keys of an identity. To change a setting, edit DIR/identity.json and run
this command.

The command reads the private keys. It writes DIR/public again if a file in it is out of
date, as after a changed setting or when an old key has expired, or if the signature of the
key directory expires within 15 days. Then it says so, and you upload DIR/public again.
Run it every two weeks.

--format json writes one object:

    settings        agent, name, user_agent, contact, purpose, ip_ranges
    keys            list of objects, the newest key first: id, source, signs_from, expires
    until           when the signature of the key directory expires
    renewed         true if DIR/public was written

Exit code: 0 done, 2 usage error or no valid key, 3 a file could not be read or written.`,
		Example: `  politecrawl identity show identity`,
		Args:    cli.Args(1, 1, "the directory of an identity"),
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := open("show", args[0], now)
			if err != nil {
				return err
			}
			renewed, notes, err := f.Renew()
			if err != nil {
				return failed("show", err)
			}
			note(streams, notes)
			text := settingsText(f) + keysText(f, now())
			if renewed {
				text += "\n" + uploadText(f)
			}
			return streams.PrintAs(format, struct {
				Settings identity.Settings `json:"settings"`
				Keys     []identity.Key    `json:"keys"`
				Until    time.Time         `json:"until"`
				Renewed  bool              `json:"renewed"`
			}{f.Settings(), f.Keys(), f.SignedUntil(), renewed}, text)
		},
	}
	format.AddFlag(cmd)
	return cmd
}

// open opens an identity that the user named.
func open(command, dir string, now func() time.Time) (*identity.Identity, error) {
	f, err := identity.Open(dir, &identity.Options{Now: now})
	if err != nil {
		return nil, cli.Misuse("identity %s: %w", command, cli.QuotePath(err))
	}
	return f, nil
}

// failed names the command in an error, and adds the exit code.
func failed(command string, err error) error {
	code := cli.ExitMisuse
	_, isPath := errors.AsType[*fs.PathError](err)
	_, isLink := errors.AsType[*os.LinkError](err)
	if isPath || isLink {
		code = cli.ExitFailed
	}
	return cli.WithCode(code, fmt.Errorf("identity %s: %w", command, cli.QuotePath(err)))
}

func note(streams *cli.Streams, notes []string) {
	for _, line := range notes {
		streams.Notice("note: " + line)
	}
}

// madeText says what to do with a new identity.
func madeText(dir string, f *identity.Identity) string {
	s, word := f.Settings(), cli.ShellWord(dir)
	host := s.Agent + "/"
	var missing []string
	for _, setting := range [][2]string{{"purpose", s.Purpose}, {"contact", s.Contact}} {
		if setting[1] == "" {
			missing = append(missing, strconv.Quote(setting[0]))
		}
	}
	hint := ""
	if len(missing) > 0 {
		hint = "\nThe page for site owners lacks your " + strings.Join(missing, " and ") + ". To add that, edit " + filepath.Join(dir, "identity.json") + "\nand run: politecrawl identity show " + word + "\n"
	}
	directory := filepath.Join(f.PublicDir(), filepath.FromSlash(botauth.DirectoryPath))
	return strings.NewReplacer("{dir}", dir, "{word}", word, "{public}", f.PublicDir(), "{host}", host, "{agent}", s.Agent, "{crawl}", "politecrawl crawl --identity "+word, "{directory}", cli.ShellWord(directory),
		"{until}", humanize.Time(f.SignedUntil()), "{renew}", humanize.Time(f.SignedUntil().AddDate(0, 0, -15)), "{key}", keyText(f.Keys()[0], dir), "{missing}", hint,
	).Replace(`Made the identity of {host} in {dir}.
{key}

1. Upload everything in {public} to the root of {host}, the
   directory .well-known too. A static host that reads _headers needs nothing else; for nginx,
   include {dir}/nginx.conf in the server block.

2. Check what you have uploaded:
   politecrawl identity check {host}

3. Crawl:
   {crawl} https://example.com/

4. The signature of the key directory expires on {until}.
   Every two weeks, run this, and upload again if it says so:
   politecrawl identity show {word}

To try it on this machine before you upload, start the example server of the source code:
   go run ./examples/verify-bot {agent} {directory}
and crawl it from another terminal:
   {crawl} --allow-addr 127.0.0.0/8 http://127.0.0.1:8080/
{missing}`)
}

// keyText says where the private key is.
func keyText(k identity.Key, dir string) string {
	if k.Source == identity.FileSource {
		return "Its private key is " + filepath.Join(dir, "keys", k.ID+".pem") + ". Never upload it."
	}
	return "Its private key comes from " + k.Source + "."
}

func uploadText(f *identity.Identity) string {
	return fmt.Sprintf("Wrote %s and nginx.conf again. Upload them now, then run: politecrawl identity check %s/\n", f.PublicDir(), f.Settings().Agent)
}

func settingsText(f *identity.Identity) string {
	s := f.Settings()
	var b strings.Builder
	for _, line := range [][2]string{
		{"agent", s.Agent}, {"name", s.Name}, {"user agent", s.UserAgent}, {"contact", s.Contact}, {"purpose", s.Purpose}, {"IP ranges", strings.Join(s.IPRanges, ", ")},
	} {
		fmt.Fprintf(&b, "%-11s %s\n", line[0], cli.Escape(cmp.Or(line[1], "none")))
	}
	return b.String()
}

func keysText(f *identity.Identity, now time.Time) string {
	var b strings.Builder
	for _, k := range f.Keys() {
		state := "signs from " + humanize.Time(k.SignsFrom)
		if !k.Expires.IsZero() {
			state += ", valid until " + humanize.Time(k.Expires)
		}
		if now.Before(k.SignsFrom) {
			state += " (upload it now)"
		}
		fmt.Fprintf(&b, "%-11s %s  %s  (%s)\n", "key", k.ID, state, cli.Escape(k.Source))
	}
	fmt.Fprintf(&b, "%-11s %s\n", "directory", "signed until "+humanize.Time(f.SignedUntil()))
	return b.String()
}
