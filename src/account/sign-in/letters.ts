/**
 * Renders letters for mail programs: tables with inline styles, and a text part. Fixed words come from the rooms that write letters; words that
 * somebody else has chosen come only as `QuotedWords`, which carry no markup and nothing that a mail program makes a link of.
 */
import type { Language } from '#platform/errors'
import { type Html, html } from '#platform/html'
import { htmlOf, type LetterLine, plainText } from './letter-line.ts'

const maxLetterBytes = 100 * 1024

/** A line of the small table of a letter, such as the time and the device of a sign-in. */
export interface LetterFact {
  label: string
  value: LetterLine | Exclude<LetterLine[number], string>
}

export interface LetterContent {
  locale: Language
  /** The name above the letter. */
  brand?: string | undefined
  subject: LetterLine
  /** The paragraphs before the facts, the button and the code. */
  lines: readonly LetterLine[]
  facts?: readonly LetterFact[] | undefined
  button?: { label: string; href: string } | undefined
  code?: string | undefined
  /** The small paragraph at the end. */
  note: LetterLine
  /** The line below the letter. */
  footer?: string | undefined
}

const codeLabel = { fa: 'کد', en: 'Code' }

/** Returns a letter in one language, or in several, one below the other. The page has at most 100 KB. */
export function renderLetter(...contents: readonly LetterContent[]): {
  subject: string
  text: string
  html: string
} {
  const page = pageOf(contents)
  if (Buffer.byteLength(page) > maxLetterBytes) throw new Error('A letter is longer than 100 KB.')
  return {
    subject: contents.map(({ subject }) => plainText(subject)).join(' | '),
    text: contents.map(textOf).join('\n\n----------\n\n'),
    html: page,
  }
}

const lineOf = ({ value }: LetterFact): LetterLine =>
  typeof value === 'string' || Array.isArray(value) ? (value as LetterLine) : [value as LetterLine[number]]

function textOf({ locale, lines, facts = [], button, code, note, footer }: LetterContent): string {
  const parts = lines.map(plainText)
  if (facts.length > 0)
    parts.push(facts.map((fact) => `${fact.label}: ${plainText(lineOf(fact))}`).join('\n'))
  if (button) parts.push(button.href)
  if (code !== undefined) parts.push(`${codeLabel[locale]}: ${code}`)
  return [...parts, plainText(note), ...(footer === undefined ? [] : [footer])].join('\n\n')
}

const font = "font-family:Vazirmatn,Tahoma,'Segoe UI',Arial,sans-serif"
const ink = '#1c2429'
const grey = '#5b6770'
const sides = { fa: { direction: 'rtl', align: 'right' }, en: { direction: 'ltr', align: 'left' } }

/** Everything that a cell needs stands in the cell itself, because mail programs drop what stands outside of it. */
function cell(locale: Language, style: string, content: Html | readonly Html[]): Html {
  const { direction, align } = sides[locale]
  return html`<td lang="${locale}" dir="${direction}" align="${align}" style="direction:${direction};text-align:${align};${font};word-break:break-word;overflow-wrap:anywhere;${style}">${content}</td>`
}

const row = (locale: Language, style: string, content: Html | readonly Html[]): Html =>
  html`<tr>${cell(locale, `color:${ink};${style}`, content)}</tr>`

/** A table whose attributes say what styles say too, for programs that read only these. */
const table = (locale: Language, attributes: Html, rows: Html | readonly Html[]): Html =>
  html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" dir="${sides[locale].direction}" ${attributes}>${rows}</table>`

function buttonOf({ label, href }: NonNullable<LetterContent['button']>, locale: Language): Html {
  const { direction } = sides[locale]
  return table(
    locale,
    html``,
    html`<tr><td lang="${locale}" dir="${direction}" align="center" bgcolor="#0f766e" style="direction:${direction};border-radius:8px;background:#0f766e"><a href="${href}" style="display:inline-block;padding:11px 24px;${font};color:#ffffff;text-decoration:none;font-size:15px;line-height:24px;font-weight:bold">${label}</a></td></tr>`,
  )
}

/** The digits stand in a row of their own, so that they can be selected alone. */
const codeOf = (code: string): Html =>
  html`<bdi dir="ltr" style="font-family:Consolas,Menlo,monospace;font-size:30px;line-height:44px;font-weight:bold;letter-spacing:6px">${code}</bdi>`

function factsOf(facts: readonly LetterFact[], locale: Language): Html {
  const gap = locale === 'fa' ? 'padding:3px 0 3px 16px' : 'padding:3px 16px 3px 0'
  const size = 'font-size:14px;line-height:24px;vertical-align:top'
  return table(
    locale,
    html``,
    facts.map(
      (fact) =>
        html`<tr>${cell(locale, `color:${grey};white-space:nowrap;${gap};${size}`, html`${fact.label}`)}${cell(locale, `color:${ink};padding:3px 0;${size}`, htmlOf(lineOf(fact)))}</tr>`,
    ),
  )
}

function rowsOf({ locale, subject, lines, facts = [], button, code, note }: LetterContent): Html[] {
  const padded = (above: number, below: number): string => `padding:${above}px 28px ${below}px`
  return [
    row(locale, `${padded(26, 6)};font-size:19px;line-height:32px;font-weight:bold`, htmlOf(subject)),
    ...lines.map((line) => row(locale, `${padded(4, 4)};font-size:15px;line-height:28px`, htmlOf(line))),
    ...(facts.length > 0 ? [row(locale, padded(10, 6), factsOf(facts, locale))] : []),
    ...(button ? [row(locale, padded(16, 10), buttonOf(button, locale))] : []),
    ...(code === undefined ? [] : [row(locale, padded(12, 8), codeOf(code))]),
    row(locale, `${padded(12, 26)};font-size:13px;line-height:24px;color:${grey}`, htmlOf(note)),
  ]
}

/** The letter lies on a sheet, between its brand and its footer. */
function pageOf(contents: readonly LetterContent[]): string {
  const [{ locale, brand, footer } = { locale: 'fa' as Language, brand: undefined, footer: undefined }] =
    contents
  const { direction } = sides[locale]
  const beside = (text: string, style: string): Html =>
    row(locale, `padding:4px 28px;color:${grey};${style}`, html`${text}`)
  const sheet = table(
    locale,
    html`width="520" bgcolor="#ffffff" style="width:100%;max-width:520px;background:#ffffff;border-radius:12px"`,
    contents.flatMap(rowsOf),
  )
  const rows = [
    ...(brand === undefined ? [] : [beside(brand, 'font-size:15px;line-height:28px;font-weight:bold')]),
    html`<tr><td dir="${direction}" align="center" style="direction:${direction};padding:8px 0">${sheet}</td></tr>`,
    ...(footer === undefined ? [] : [beside(footer, 'font-size:12px;line-height:22px')]),
  ]
  const column = table(locale, html`width="520" style="width:100%;max-width:520px"`, rows)
  const background = table(
    locale,
    html`width="100%" bgcolor="#f1f4f5" style="width:100%;background:#f1f4f5"`,
    html`<tr><td dir="${direction}" align="center" style="direction:${direction};padding:20px 12px">${column}</td></tr>`,
  )
  return html`<!doctype html><html lang="${locale}" dir="${direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no"></head><body style="margin:0;padding:0;background:#f1f4f5">${background}</body></html>`
    .text
}
