package keyword

import (
	"strconv"
	"sync"
)

// A Cache compiles sets and keeps them by their keywords: questions about one
// document, or cases of one kind, most often share theirs. The zero Cache is
// empty. Any number of goroutines may use it.
type Cache struct {
	lock sync.Mutex
	sets map[string]*Set
}

// CompileSet is the function [CompileSet]. Equal keywords get one set.
func (c *Cache) CompileSet(keywords []Keyword) (*Set, error) {
	var room [256]byte
	key := appendKey(room[:0], keywords)
	c.lock.Lock()
	set := c.sets[string(key)]
	c.lock.Unlock()
	if set != nil {
		return set, nil
	}
	set, err := CompileSet(keywords)
	if err != nil {
		return nil, err
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if first := c.sets[string(key)]; first != nil {
		return first, nil
	}
	if c.sets == nil {
		c.sets = map[string]*Set{}
	}
	c.sets[string(key)] = set
	return set, nil
}

// Key is equal for equal lists of keywords alone.
func Key(keywords []Keyword) string { return string(appendKey(nil, keywords)) }

func appendKey(b []byte, keywords []Keyword) []byte {
	for i := range keywords {
		k := &keywords[i]
		for _, part := range [...]string{k.Text, k.Substring, k.Regex} {
			b = append(strconv.AppendInt(b, int64(len(part)), 10), ':')
			b = append(b, part...)
		}
		if k.UnlessNegated {
			b = append(b, '!')
		}
		if k.Any == nil {
			b = append(b, '-') // an empty list of alternatives is another thing, and wrong
			continue
		}
		b = append(strconv.AppendInt(b, int64(len(k.Any)), 10), ';')
		b = appendKey(b, k.Any)
	}
	return b
}
