package robots

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/clitest"
)

var (
	program = clitest.Only(Command)
	run     = program.Run
	runWith = program.RunWith
)

func TestMain(m *testing.M) { program.Main(m) }

// serveRobots starts a site with this robots.txt.
func serveRobots(t *testing.T, body string) *httptest.Server {
	return clitest.Server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			t.Errorf("requested %s", r.URL)
		}
		_, _ = w.Write([]byte(body))
	})
}
