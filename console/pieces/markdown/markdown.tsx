/** What a model writes: docs/decisions/account/talk-texts.md. */
import { memo, type ReactNode, useMemo, useState } from 'react'
import type { Direction } from '../../words/direction.ts'
import { directionOf } from '../../words/locale.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { partsOfPlain } from './bounds.ts'
import { Code } from './code.tsx'
import { Formula } from './formula.tsx'
import { comparableAddresses, KnownAddresses } from './link.tsx'
import styles from './markdown.module.css'
import { markdownWords } from './markdown.words.ts'
import { Node } from './nodes.tsx'
import { type ReadBlock, Reader } from './reader.ts'

interface MarkdownProps {
  /** The text so far. */
  text: string
  /** More may come. */
  isStreaming?: boolean
  /** Addresses that stand in the person's words or in a source: they open without a question. Keep the array while it is the same. */
  knownAddresses?: readonly string[]
}

const none: readonly string[] = []

export function Markdown({ text, isStreaming = false, knownAddresses = none }: MarkdownProps): ReactNode {
  const first = directionOf(useLocale())
  const [reader] = useState(() => new Reader())
  const blocks = useMemo(() => reader.read(text, isStreaming, first), [reader, text, isStreaming, first])
  const known = useMemo(() => comparableAddresses(knownAddresses), [knownAddresses])
  return (
    <KnownAddresses value={known}>
      <div className={styles['text']}>
        {blocks.map(({ kind, start, source, language, isOpen, tree, directions }) => (
          <BlockOf
            key={start}
            kind={kind}
            source={source}
            language={language}
            isOpen={isOpen && isStreaming}
            tree={tree}
            directions={directions}
          />
        ))}
      </div>
    </KnownAddresses>
  )
}

/** A block is drawn again only when something of it has changed. */
const BlockOf = memo(function BlockOf({
  kind,
  source,
  language,
  isOpen,
  tree,
  directions,
}: Omit<ReadBlock, 'start' | 'end'>): ReactNode {
  if (kind === 'code') return <Code code={source} language={language} isOpen={isOpen} />
  if (kind === 'formula') return <Formula source={source} isDisplay isOpen={isOpen} />
  const each = directions.split(' ') as Direction[]
  if (!tree) return <Plain text={source} direction={each[0]!} />
  return tree.children.map((node, at) => <Node key={at} node={node} direction={each[at]!} />)
})

function Plain({ text, direction }: { text: string; direction: Direction }): ReactNode {
  const words = useWords(markdownWords)
  const parts = partsOfPlain(text)
  return (
    <div className={styles['plain']} tabIndex={0} role="group" aria-label={words.plain}>
      <small>{words.plain}</small>
      {/* Only what is seen of a long one is laid out. */}
      {parts.map((part, at) => (
        <div key={at} dir={direction} {...(parts.length > 1 && { 'data-long': true })}>
          {part}
        </div>
      ))}
    </div>
  )
}
