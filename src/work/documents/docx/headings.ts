import type { DocumentBlock, Heading, Language } from '../model.ts'
import { inDigits } from '../phrases.ts'

export interface ListedHeading {
  block: Heading
  /** The bookmark at the heading. */
  mark: string
}

/** Headings that the contents list, in their order. */
export const headingsIn = (blocks: readonly DocumentBlock[]): ListedHeading[] =>
  blocks
    .filter((block) => block.type === 'heading')
    .filter((block) => block.level <= 3)
    .map((block, index) => ({ block, mark: `heading_${index + 1}` }))

/** The numbers of the headings, as the numbering of the styles counts them. */
export function headingNumbers(headings: readonly ListedHeading[], language: Language): string[] {
  const counts: number[] = []
  return headings.map(({ block: { level } }) => {
    counts.length = Math.min(counts.length, level)
    while (counts.length < level) counts.push(0)
    counts[level - 1]! += 1
    return counts.map((count) => inDigits(language, count)).join(language === 'fa' ? '\u200f-\u200f' : '.')
  })
}
