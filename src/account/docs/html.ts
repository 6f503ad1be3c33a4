/** How the reference writes technical names. */
import { type Html, type HtmlContent, html } from '#platform/html'

/** A technical name: read from left to right wherever it stands. */
export const code = (text: string): Html => html`<code dir="ltr">${text}</code>`

/** Prose in which `backticks` mark technical names and ‹angles› mark what stands for a detail. */
export const prose = (text: string): HtmlContent[] =>
  text.split(/(`[^`]*`|‹[^‹›]*›)/).map((part) => {
    if (part.startsWith('`')) return code(part.slice(1, -1))
    return part.startsWith('‹') ? html`<var dir="ltr">${part}</var>` : part
  })

/** The contents with `separator` between them. */
export const joined = (contents: readonly HtmlContent[], separator: string): HtmlContent[] =>
  contents.flatMap((content, index) => (index === 0 ? [content] : [separator, content]))
