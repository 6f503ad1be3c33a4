/** How the reference writes technical names. */
import { type Html, type HtmlContent, html } from '#platform/html'

/** A technical name: read from left to right wherever it stands. */
export const code = (text: string): Html => html`<code dir="ltr">${isolated(text)}</code>`

/**
 * Code that is read from left to right, in which each quoted text with Persian letters keeps its own direction: otherwise the full stop of a Persian
 * sentence would stand before its first word.
 */
export const isolated = (text: string): HtmlContent[] =>
  text
    .split(/("[^"\n]*")/)
    .map((part) =>
      part.startsWith('"') && /[\u0600-\u06ff]/.test(part)
        ? html`"<bdi dir="rtl">${part.slice(1, -1)}</bdi>"`
        : part,
    )

/** Prose in which `backticks` mark technical names and ‹angles› mark what stands for a detail. */
export const prose = (text: string): HtmlContent[] =>
  text.split(/(`[^`]*`|‹[^‹›]*›)/).map((part) => {
    if (part.startsWith('`')) return code(part.slice(1, -1))
    if (part.startsWith('‹')) return html`<var dir="ltr">${part}</var>`
    // The slash before a detail belongs to the path, not to the Persian text after it.
    return part.endsWith('/') ? `${part}\u200e` : part
  })

/** The contents with `separator` between them. */
export const joined = (contents: readonly HtmlContent[], separator: string): HtmlContent[] =>
  contents.flatMap((content, index) => (index === 0 ? [content] : [separator, content]))
