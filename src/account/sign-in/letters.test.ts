import { describe, expect, test } from 'vitest'
import { QuotedWords } from './letter-line.ts'
import { type LetterContent, renderLetter } from './letters.ts'

const content: LetterContent = {
  locale: 'fa',
  subject: 'کد ورود',
  lines: ['این کد را در صفحهٔ ورود بنویسید.'],
  note: 'اگر شما این را نخواسته‌اید، این نامه را نادیده بگیرید.',
}

describe('a letter', () => {
  test('has its direction on every cell, inline styles alone, and a text part', () => {
    const button = { label: 'ورود', href: 'https://k.example/link#abc' }
    const letter = renderLetter({ ...content, button, code: '123456' }, { ...content, locale: 'en' })
    const cells = letter.html.match(/<td[^>]*>/g)!
    expect(cells.length).toBeGreaterThan(6)
    expect(cells.filter((cell) => !/ dir="(?:rtl|ltr)"/.test(cell))).toEqual([])
    expect(letter.html).not.toMatch(/<style|<script|class=/)
    expect(letter.text).toContain('https://k.example/link#abc')
    expect(letter.text).toContain('123456')
  })

  test('shows words of strangers as text in which nothing is an address, a domain or a link', () => {
    const hostile =
      'سلام https://evil.example/a?b evil。com a@evil.example <b>x</b> www.evil.com\r\nBcc: z@evil.example'
    const letter = renderLetter({
      ...content,
      subject: ['دعوت از ', new QuotedWords(hostile)],
      lines: [['از ', new QuotedWords(hostile)]],
      note: [new QuotedWords(hostile)],
    })
    for (const shown of [letter.subject, letter.text, letter.html.replace(/<[^>]*>/g, '')])
      expect(shown).not.toMatch(/evil\S*[.\u3002]\S*(?:com|example)|https?:\S|\S@\S/)
    expect(letter.html).not.toContain('<b>')
    expect(letter.html).not.toContain('href')
    expect(letter.subject).not.toMatch(/[\r\n]/)
  })

  test('drops from words of strangers what turns a sentence around or has no shape, and what is longer than a name', () => {
    expect(new QuotedWords('علی\u202e\u200fرضا می\u200cنویسد').text).toBe('علی رضا می\u200cنویسد')
    expect([...new QuotedWords('x'.repeat(5_000)).text]).toHaveLength(120)
  })

  test('that is longer than 100 KB is not written', () => {
    expect(() => renderLetter({ ...content, lines: ['x'.repeat(102_400)] })).toThrow('100 KB')
  })
})
