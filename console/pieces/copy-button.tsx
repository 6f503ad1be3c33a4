import { type ReactNode, useEffect, useState } from 'react'
import { useWords } from '../words/use-words.ts'
import { Button, type ButtonKind, LinkButton } from './button.tsx'
import { copyText } from './copy.ts'
import { pieceWords } from './pieces.words.ts'
import { showToast } from './toasts.ts'

/** Copies a text; what it returns says so for two seconds, and a message says where the browser refuses. `onCopied` is called when the text has been copied. */
function useCopy(text: string, onCopied?: () => void): { copy(): void; isCopied: boolean } {
  const words = useWords(pieceWords)
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 2_000)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async (): Promise<void> => {
    const isDone = await copyText(text)
    setCopied(isDone)
    if (isDone) onCopied?.()
    else showToast(words.notCopied, { kind: 'failure' })
  }
  return { copy: () => void copy(), isCopied }
}

interface CopyButtonProps {
  text: string
  kind?: ButtonKind
  onCopied?: (() => void) | undefined
}

export function CopyButton({ text, kind = 'plain', onCopied }: CopyButtonProps): ReactNode {
  const words = useWords(pieceWords)
  const { copy, isCopied } = useCopy(text, onCopied)
  return (
    <Button kind={kind} aria-live="polite" onClick={copy}>
      {isCopied ? words.copied : words.copy}
    </Button>
  )
}

/** The same beside a text in a row; `label` says to screen readers what is copied. */
export function CopyLink({ text, label }: { text: string; label: string }): ReactNode {
  const words = useWords(pieceWords)
  const { copy, isCopied } = useCopy(text)
  return (
    <LinkButton aria-label={isCopied ? words.copied : label} aria-live="polite" onClick={copy}>
      {isCopied ? words.copied : words.copy}
    </LinkButton>
  )
}
