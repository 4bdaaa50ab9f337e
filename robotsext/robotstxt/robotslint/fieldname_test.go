package robotslint

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestFixesOfFields writes ⏎ for the end of a line. A finding is its line, kind and fix.
func TestFixesOfFields(t *testing.T) {
	const (
		disallow = "if you want to disallow these URLs, "
		apply    = "if you want the rules below to apply, "
		split    = "if you mean each of them, put it on a line of its own: "
	)
	for _, tt := range []struct {
		name, body string
		want       []string
	}{
		{"ROB-GRP-13/longer names", "User-agent: *⏎DisallowAITraining: /⏎AllowAITraining: /images/⏎Disallow: /admin/", []string{"2 unknown-field ", "3 unknown-field "}},
		{"ROB-GRP-13/longer names with other characters", "User-agent: *⏎Disallow-AI: /⏎allow_images: /⏎Disallow-Robots: yes⏎Disallow AI: /⏎Disallowed: /⏎Disalow2: /⏎Sitemap-index: https://h/s.xml⏎User-agent-foo: b⏎Disallow: /admin/", []string{
			"2 unknown-field ", "3 unknown-field ", "4 unknown-field ", "5 unknown-field ", "6 unknown-field ", "7 unknown-field ", "8 unknown-field ", "9 unknown-field "}},
		{"ROB-GRP-13/longer names without a colon", "User-agent: *⏎Disallow-AI /⏎DisallowAITraining\t/⏎Disallow: /admin/", []string{"2 unknown-field ", "3 unknown-field "}},

		{"ROB-FMT-11/misspelled for Google too", "User-agent: *⏎Dissallow: /x⏎Disalow: /y", []string{"1 empty-group add \"Disallow:\" if you intend that, or else the rules", "2 misspelled-field " + disallow + `write "Disallow: /x"`, "3 misspelled-field " + disallow + `write "Disallow: /y"`}},
		{"ROB-FMT-11/misspelled for all", "User-agent: *⏎Disallow: /x⏎Disllow: /y⏎Alow: /z⏎User-agnet: b", []string{
			"3 misspelled-field " + disallow + `write "Disallow: /y"`, `4 misspelled-field write "Allow: /z"`, "5 misspelled-field " + apply + `write "User-agent: b"`}},
		{"ROB-FMT-11/an Allow that would end the block", "User-agent: a⏎Alow: /z⏎User-agent: b⏎Disallow: /", []string{`2 misspelled-field if you want to allow these URLs, write "Allow: /z"`, "3 joined-groups " + `if you intend that, move the User-agent lines together; if not, add rules below line 1, or "Disallow:", which allows everything`}},

		{"ROB-FMT-13/a value with a colon", "User-agent: *⏎Disallow /wiki/Special:Search⏎Disallow /*?q=a:b⏎Sitemap https://example.com/s.xml⏎Disallow /private/", []string{
			"1 empty-group add \"Disallow:\" if you intend that, or else the rules",
			"2 no-colon " + disallow + `write "Disallow: /wiki/Special:Search"`, "3 no-colon " + disallow + `write "Disallow: /*?q=a:b"`, `4 no-colon write "Sitemap: https://example.com/s.xml"`, "5 no-colon " + disallow + `write "Disallow: /private/"`}},
		{"ROB-FMT-13/a value without a colon", "User-agent: *⏎Disallow: /x⏎Disallow /private/⏎Disallow=/private2/⏎Allow /y", []string{
			"3 no-colon " + disallow + `write "Disallow: /private/"`, "4 no-colon " + disallow + `write "Disallow: /private2/"`, `5 no-colon if you want to allow these URLs, write "Allow: /y"`}},
		{"ROB-FMT-13/something else for a colon", "User-agent: *⏎Disallow: /x⏎Disallow\t/a:b⏎Disallow  /a:b⏎Disallow=/a:b⏎Disallow：/a:b⏎Disalow /a:b⏎Sitemap=https://h/s.xml⏎Sitemap -> https://h/t.xml⏎License https://h/l.xml", []string{
			"3 no-colon " + disallow + `write "Disallow: /a:b"`, "4 no-colon " + disallow + `write "Disallow: /a:b"`, "5 no-colon " + disallow + `write "Disallow: /a:b"`, "6 no-colon " + disallow + `write "Disallow: /a:b"`,
			"7 no-colon " + disallow + `write "Disallow: /a:b"`, `8 no-colon write "Sitemap: https://h/s.xml"`, `9 no-colon write "Sitemap: https://h/t.xml"`, `10 no-colon write "License: https://h/l.xml"`}},

		{"ROB-FMT-02/two fields", "User-agent: *⏎Disallow: //xtbcallback.phpDisallow: //login.php⏎Disallow: /wp-admin/Allow: /wp-admin/admin-ajax.php", []string{
			"2 two-fields " + split + `"Disallow: //xtbcallback.php" and "Disallow: //login.php"`, "3 two-fields " + split + `"Disallow: /wp-admin/" and "Allow: /wp-admin/admin-ajax.php"`}},
		{"ROB-FMT-02/in a User-agent line", "User-agent: *Disallow: /⏎User-agent: bDisallow:⏎useragent: *disallow: /⏎User-agent *Disallow: /", []string{
			"1 two-fields " + split + `"User-agent: *" and "Disallow: /"`, "2 two-fields " + split + `"User-agent: b" and "Disallow:"`,
			"3 two-fields " + split + `"User-agent: *" and "disallow: /"`, "4 two-fields " + split + `"User-agent: *" and "Disallow: /"`}},
		{"ROB-FMT-02/of other fields", "User-agent: *⏎Disallow: /aSitemap: https://h/s.xml⏎Crawl-delay: 10Disallow: /b⏎Disallow: /cCrawl-delay: 10⏎Disallow: /dUser-agent: b⏎Sitemap: https://h/s.xmlSitemap: https://h/t.xml", []string{
			"2 two-fields " + split + `"Disallow: /a" and "Sitemap: https://h/s.xml"`, "3 two-fields " + split + `"Crawl-delay: 10" and "Disallow: /b"`, "4 two-fields " + split + `"Disallow: /c" and "Crawl-delay: 10"`,
			"5 two-fields " + split + `"Disallow: /d" and "User-agent: b"`, "6 two-fields " + split + `"Sitemap: https://h/s.xml" and "Sitemap: https://h/t.xml"`}},
		{"ROB-FMT-02/three fields", "User-agent:*Disallow:/aAllow:/a/b", []string{"1 two-fields " + split + `"User-agent:*" and "Disallow:/a" and "Allow:/a/b"`}},
		{"ROB-FMT-02/names in a path and in a comment", "User-agent: *⏎Disallow: /wiki/Disallow:⏎Disallow: /*sitemap:⏎Disallow: /swallow:x # noteDisallow: /b⏎#Disallow: /aDisallow: /b", nil},

		{"ROB-GRP-13/the rate of the line", "User-agent: *⏎Request-rate: 1/10m⏎Disallow: /x⏎User-agent: b⏎Request-rate: 10/1s⏎Disallow: /x⏎User-agent: c⏎Request-rate: 3/1 0600-0845⏎Disallow: /y", []string{
			`2 rare-field use "Crawl-delay: 600", which more crawlers support, such as Bing`, `5 rare-field use "Crawl-delay: 0.1", which more crawlers support, such as Bing`, `8 rare-field use "Crawl-delay: 0.333", which more crawlers support, such as Bing`}},

		{"ROB-MAT-09/the only rule of a group", "User-agent: a⏎Allow:⏎⏎User-agent: *⏎Disallow: /", []string{`2 empty-rule write "Disallow:", which allows everything`}},
		{"ROB-MAT-09/one of two rules without effect", "User-agent: a⏎Disallow:⏎Disallow:⏎⏎User-agent: *⏎Disallow: /", []string{"2 empty-rule remove it"}},
		{"ROB-MAT-03/a line that some crawlers read as a rule", "User-agent: *⏎Disallow: /a⏎Disallow: /a/b⏎Allow: /c⏎Allow: /c/d⏎Disallow-AI: /c", []string{
			"3 redundant-rule remove line 3", "5 redundant-rule check line 6 first: only some crawlers read it as a rule or a User-agent line", "6 unknown-field "}},
		{"ROB-MAT-03/a line that some crawlers read as a group", "User-agent: *⏎Disallow: /a⏎Useragent: b⏎Disallow: /a/b", []string{
			"3 misspelled-field " + apply + `write "User-agent: b"`, "4 redundant-rule check line 3 first: only some crawlers read it as a rule or a User-agent line"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range Lint([]byte(strings.ReplaceAll(tt.body, "⏎", "\n")), nil) {
				got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Kind, f.Fix))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestLongerNameIsSaidToBeAnother(t *testing.T) {
	findings := Lint([]byte("User-agent: *\nDisallow: /x\nDisallow-AI: /"), nil)
	if want := `unknown field "Disallow-AI": no known crawler obeys it, but Google's parser may take it for Disallow`; len(findings) != 1 || findings[0].Message != want {
		t.Errorf("%+v, want the message %s", findings, want)
	}
}
