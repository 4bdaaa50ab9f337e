package ftpfetch_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"

	"goftp.io/server/v2"
	"goftp.io/server/v2/driver/file"

	"github.com/politecrawl/politecrawl/crawler/ftpfetch"
	"github.com/politecrawl/politecrawl/robotsext"
)

// How do I obey the robots.txt of an FTP site?
func ExampleNew() {
	site, stop, err := ftpSite("User-agent: *\nDisallow: /private/\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer stop()
	robots, err := robotsext.New("examplebot/1.0", &robotsext.Options{
		Fetch: robotsext.FetchOptions{Schemes: map[string]robotsext.Fetcher{"ftp": ftpfetch.New(nil)}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"/pub/readme", "/private/diary"} {
		u, _ := url.Parse(site + path)
		err := robots.Check(context.Background(), u)
		if blocked, ok := errors.AsType[*robotsext.BlockedError](err); ok {
			fmt.Println(path, blocked.Reason)
			continue
		}
		fmt.Println(path, err)
	}
	// Output:
	// /pub/readme <nil>
	// /private/diary disallowed
}

// ftpSite serves a robots.txt over FTP on loopback.
func ftpSite(robots string) (origin string, stop func(), err error) {
	dir, err := os.MkdirTemp("", "ftp")
	if err != nil {
		return "", nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "robots.txt"), []byte(robots), 0o600); err != nil {
		return "", nil, err
	}
	origin, end, err := serveDir(dir, &anonymous{})
	return origin, func() {
		end()
		_ = os.RemoveAll(dir)
	}, err
}

// serveDir serves a directory with a real FTP server on loopback.
func serveDir(dir string, auth server.Auth) (origin string, stop func(), err error) {
	driver, err := file.NewDriver(dir)
	if err != nil {
		return "", nil, err
	}
	s, err := server.NewServer(&server.Options{
		Driver: driver, Auth: auth, Perm: server.NewSimplePerm("a", "b"),
		Logger: new(server.DiscardLogger), Hostname: "127.0.0.1", PublicIP: "127.0.0.1",
	})
	if err != nil {
		return "", nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(l)
	}()
	return "ftp://" + l.Addr().String(), func() {
		_ = s.Shutdown()
		<-done
	}, nil
}
