package weburl

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
)

// A HostList is a list of hosts. Each stands for its subdomains too, and for one port if it has one.
type HostList []string

// ParseHosts reads hosts such as example.com, 10.0.0.1 or localhost:8080.
func ParseHosts(hosts []string) (HostList, error) {
	var list HostList
	for _, host := range hosts {
		u, err := url.Parse("http://" + host)
		if err != nil || u.Host != host || host == "" {
			return nil, fmt.Errorf("%q is not a host such as staging.example.com or localhost:8080", host)
		}
		parsed, err := Parse("http://" + host + "/")
		if err != nil {
			return nil, fmt.Errorf("%q is not a host: %w", host, err)
		}
		name := parsed.Hostname
		if port := u.Port(); port != "" {
			name = net.JoinHostPort(name, port)
		}
		list = append(list, name)
	}
	return list, nil
}

// Has reports whether a host of the list, or one of its subdomains, has a URL. Exact reports whether
// it is the host itself.
func (l HostList) Has(u URL) (has, exact bool) {
	port := "80"
	if strings.HasPrefix(u.Canonical, "https:") {
		port = "443"
	}
	if parsed, err := url.Parse(u.Canonical); err == nil && parsed.Port() != "" {
		port = parsed.Port()
	}
	names := []string{u.Hostname, net.JoinHostPort(u.Hostname, port)}
	for _, host := range l {
		has = has || slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, "."+host) })
		exact = exact || slices.Contains(names, host)
	}
	return has || exact, exact
}
