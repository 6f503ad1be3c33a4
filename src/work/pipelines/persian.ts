import type { Inline, TextDocument } from '#work/documents'
import { inDigits } from '#work/documents'
import { mapInlines } from './blocks.ts'

const number = /(?<![A-Za-z_\d.,:/@#$%&=+\\-])\d+(?:[.,:/]\d+)*(?![A-Za-z_\d@#\\]|[-.:/][A-Za-z\d])/g
/** `Node 24`, `ISO 9001`: the number is a part of the Latin name before it. */
const latinBefore = /[A-Za-z][\w.+#-]{0,40}[\s\u200c]$/

/**
 * Normalises Persian text for display: Persian letters replace their Arabic lookalikes, and numbers get Persian digits unless they
 * belong to a Latin name, an address or code.
 */
export function persianText(text: string): string {
  return persianNumbers(
    text
      .replaceAll('ي', 'ی')
      .replaceAll('ك', 'ک')
      .replace(/[٠-٩]/g, (digit) => String(digit.charCodeAt(0) - 0x660)),
  )
}

/** Converts only the numbers; for texts that discuss spelling, whose letters must not change. */
export function persianNumbers(text: string): string {
  return text.replace(number, (found, place: number) =>
    latinBefore.test(text.slice(Math.max(0, place - 40), place)) ? found : persianNumber(found),
  )
}

function persianNumber(text: string): string {
  const grouped = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text) ? text.replaceAll(',', '٬') : text
  const decimal = /^[\d٬]+\.\d+$/.test(grouped) ? grouped.replace('.', '٫') : grouped
  return inDigits('fa', decimal)
}

const persianInline = (inline: Inline): Inline =>
  inline.type === 'text' && !inline.code && !inline.link
    ? { ...inline, text: persianText(inline.text) }
    : inline

/** Converts the digits and letters of a Persian document; other documents are returned unchanged. */
export function persianDocument(document: TextDocument): TextDocument {
  if (document.language !== 'fa') return document
  const { footnotes } = document
  return {
    ...document,
    title: persianText(document.title),
    ...(document.subtitle && { subtitle: persianText(document.subtitle) }),
    blocks: mapInlines(document.blocks, persianInline),
    ...(footnotes && {
      footnotes: Object.fromEntries(
        Object.entries(footnotes).map(([name, note]) => [name, note.map(persianInline)]),
      ),
    }),
  }
}
