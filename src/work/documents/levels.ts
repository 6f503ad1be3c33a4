import type { DocumentBlock } from './model.ts'

/** Changes the levels of headings so that they begin at 1 and skip none, as outlines and accessible PDFs require. */
export function normaliseHeadingLevels(blocks: readonly DocumentBlock[]): DocumentBlock[] {
  const open: number[] = []
  return blocks.map((block) => {
    if (block.type !== 'heading') return block
    while (open.length > 0 && open.at(-1)! >= block.level) open.pop()
    open.push(block.level)
    return { ...block, level: open.length }
  })
}
