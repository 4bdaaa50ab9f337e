package redisstore

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/redis/rueidis"
)

const defaultPort = "6379"

// An address has the servers, the user and the TLS files. Its password is in no text that this
// package returns.
type address struct {
	servers  []string // host:port
	secure   bool
	db       int
	user     string
	password string
	sentinel string // name of the master; if set, the servers are Sentinels

	ca, cert, key string // files for TLS
}

// String returns the address without the password.
func (a address) String() string {
	var b strings.Builder
	b.WriteString("redis")
	if a.secure {
		b.WriteString("s")
	}
	b.WriteString("://")
	if a.user != "" {
		b.WriteString(url.User(a.user).String() + "@")
	}
	b.WriteString(strings.Join(a.servers, ","))
	if a.db != 0 {
		b.WriteString("/" + strconv.Itoa(a.db))
	}
	if a.sentinel != "" {
		b.WriteString("?master=" + url.QueryEscape(a.sentinel))
	}
	return b.String()
}

// parseAddress reads
//
//	redis[s]://[user[:password]@]host[:port][,host[:port]…][/db][?master=NAME][&ca=FILE][&cert=FILE&key=FILE]
//
// Errors do not quote the address, since it may contain a password.
func parseAddress(text string) (address, error) {
	bad := func(what string) error { return fmt.Errorf("%w: %s", ErrAddress, what) }
	var a address
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return a, bad("it does not begin with redis:// or rediss://")
	}
	switch scheme {
	case "redis":
	case "rediss":
		a.secure = true
	default:
		return a, bad("the scheme is neither redis nor rediss")
	}
	rest, query, _ := strings.Cut(rest, "?")
	// The last @ ends the user information, since a password may contain others.
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user, password, _ := strings.Cut(rest[:at], ":")
		var err1, err2 error
		a.user, err1 = url.PathUnescape(user)
		a.password, err2 = url.PathUnescape(password)
		if err1 != nil || err2 != nil {
			return a, bad("user or password has a % that is not %25")
		}
		rest = rest[at+1:]
	}
	servers, path, _ := strings.Cut(rest, "/")
	if path != "" {
		db, err := strconv.Atoi(path)
		if err != nil || db < 0 {
			return a, bad("the path is not the number of a database")
		}
		a.db = db
	}
	for server := range strings.SplitSeq(servers, ",") {
		s, err := parseServer(server)
		if err != nil {
			return a, bad(err.Error())
		}
		a.servers = append(a.servers, s)
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return a, bad("the query after ? is invalid")
	}
	fields := map[string]*string{"master": &a.sentinel, "ca": &a.ca, "cert": &a.cert, "key": &a.key}
	for key, value := range values {
		if fields[key] == nil || len(value) != 1 || value[0] == "" {
			return a, bad("the query after ? may have master, ca, cert and key only, each once with a value")
		}
		*fields[key] = value[0]
	}
	switch {
	case !a.secure && a.ca+a.cert+a.key != "":
		return a, bad("ca, cert and key are for rediss")
	case (a.cert == "") != (a.key == ""):
		return a, bad("cert and key go together")
	}
	return a, nil
}

// CheckAddress reports whether addr contains a password. It returns ErrAddress if the address is
// invalid. It does not connect to a server.
func CheckAddress(addr string) (password bool, err error) {
	a, err := parseAddress(addr)
	return a.password != "", err
}

// parseServer reads host, host:port, [IPv6] or [IPv6]:port.
func parseServer(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port, err = net.SplitHostPort(text + ":" + defaultPort)
	}
	switch {
	case err != nil || host == "" || strings.ContainsAny(host, " \t\r\n@%"):
		return "", errors.New("a server must be host, host:port or [IPv6]:port")
	case text[0] == '[' && net.ParseIP(host) == nil:
		return "", errors.New("the text in [ ] is not an IP address")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", errors.New("a port must be a number from 1 to 65535")
	}
	return net.JoinHostPort(host, port), nil
}

// credentials sets the password. See Options.Password for its sources.
func (a *address) credentials(o *Options) error {
	switch {
	case o.Password != "":
		a.password = o.Password
	case a.password != "":
	case o.PasswordFile != "":
		text, err := os.ReadFile(o.PasswordFile)
		if err != nil {
			return fmt.Errorf("%w: password: %w", ErrCredentials, err)
		}
		a.password = strings.TrimRight(string(text), "\r\n")
	default:
		a.password = os.Getenv(PasswordVariable)
	}
	return nil
}

// tls returns the settings for rediss.
func (a *address) tls() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if a.ca != "" {
		text, err := os.ReadFile(a.ca)
		if err != nil {
			return nil, fmt.Errorf("%w: certificate authority: %w", ErrCredentials, err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%w: certificate authority: %q has no certificate", ErrCredentials, a.ca)
		}
	}
	if a.cert != "" {
		pair, err := tls.LoadX509KeyPair(a.cert, a.key)
		if err != nil {
			return nil, fmt.Errorf("%w: certificate of this client: %w", ErrCredentials, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

func (a *address) client(o *Options) (rueidis.ClientOption, error) {
	c := rueidis.ClientOption{
		InitAddress: a.servers, SelectDB: a.db,
		Username: a.user, Password: a.password, ClientName: "politecrawl:" + o.WorkerName,
		// This package decides which calls are retried.
		DisableRetry: true,
		DisableCache: true,
		// The user needs one permission less.
		ClientSetInfo: rueidis.DisableClientSetInfo,
		// The links of a page have some kilobytes.
		ReadBufferEachConn: 64 << 10, WriteBufferEachConn: 64 << 10,
	}
	if a.secure {
		var err error
		if c.TLSConfig, err = a.tls(); err != nil {
			return c, err
		}
	}
	if a.sentinel != "" {
		c.Sentinel = rueidis.SentinelOption{
			MasterSet: a.sentinel, TLSConfig: c.TLSConfig,
			Username: a.user, Password: a.password,
			TopologyRefreshInterval: sentinelRefresh,
		}
	}
	return c, nil
}
