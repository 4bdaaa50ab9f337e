package fetch

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Each proxy has about as many hosts as the others.
func TestProxiesShareHosts(t *testing.T) {
	list := []string{"http://a.test", "http://b.test", "http://c.test"}
	choose, used := proxies(list), make(map[string]int)
	for i := range 300 {
		by, err := choose(httptest.NewRequest(http.MethodGet, fmt.Sprintf("http://%d.example/", i), nil))
		must(t, err)
		used[by.String()]++
	}
	for _, proxy := range list {
		if n := used[proxy]; n < 60 || n > 140 {
			t.Errorf("%d of 300 hosts go through %s", n, proxy)
		}
	}
}
