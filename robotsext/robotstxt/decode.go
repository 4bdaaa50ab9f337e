package robotstxt

func (p *parser) decode(body []byte) string { return string(body) }
