/** HTML safe from injection: every value in a template is escaped, unless it is HTML already. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Content = Html | string | number | undefined | false | readonly Content[]

const replacements: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => replacements[sign]!)

function textOf(content: Content): string {
  if (content === undefined || content === false) return ''
  if (content instanceof Html) return content.text
  if (typeof content === 'string' || typeof content === 'number') return escapeHtml(String(content))
  return content.map(textOf).join('')
}

/** `html\`<p>${anything}</p>\`` */
export const html = (strings: TemplateStringsArray, ...contents: Content[]): Html =>
  new Html(strings.reduce((text, part, index) => text + textOf(contents[index - 1]) + part))

/** A technical name: read from left to right wherever it stands. */
export const code = (text: string): Html => html`<code dir="ltr">${text}</code>`

/** Prose in which `backticks` mark technical names and ‹angles› what takes the place of a detail. */
export const prose = (text: string): Content[] =>
  text.split(/(`[^`]*`|‹[^‹›]*›)/).map((part) => {
    if (part.startsWith('`')) return code(part.slice(1, -1))
    return part.startsWith('‹') ? html`<var dir="ltr">${part}</var>` : part
  })

/** The contents with `separator` between them. */
export const joined = (contents: readonly Content[], separator: string): Content[] =>
  contents.flatMap((content, index) => (index === 0 ? [content] : [separator, content]))
