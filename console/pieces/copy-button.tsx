import { type ReactNode, useEffect, useState } from 'react'
import { useWords } from '../words/use-words.ts'
import { Button, type ButtonKind } from './button.tsx'
import { copyText } from './copy.ts'
import { pieceWords } from './pieces.words.ts'

/** Copies a text, and says so for two seconds. */
export function CopyButton({ text, kind = 'plain' }: { text: string; kind?: ButtonKind }): ReactNode {
  const words = useWords(pieceWords)
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [isCopied])
  return (
    <Button kind={kind} aria-live="polite" onClick={() => void copyText(text).then(setCopied)}>
      {isCopied ? words.copied : words.copy}
    </Button>
  )
}
