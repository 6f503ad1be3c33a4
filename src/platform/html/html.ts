/** HTML that is safe from injection: every value in a template is escaped, unless it is `Html` already. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type HtmlContent = Html | string | number | undefined | false | readonly HtmlContent[]

const replacements: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => replacements[sign]!)

function textOf(content: HtmlContent): string {
  if (content === undefined || content === false) return ''
  if (content instanceof Html) return content.text
  if (typeof content === 'string' || typeof content === 'number') return escapeHtml(String(content))
  return content.map(textOf).join('')
}

/** The template tag: `html\`<p>${anything}</p>\`` */
export const html = (strings: TemplateStringsArray, ...contents: HtmlContent[]): Html =>
  new Html(strings.reduce((text, part, index) => text + textOf(contents[index - 1]) + part))

/** A value that a script of the page reads from `<script type="application/json">`. */
export const scriptJson = (value: unknown): Html => new Html(JSON.stringify(value).replaceAll('<', '\\u003c'))
