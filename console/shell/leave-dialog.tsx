import { useBlocker } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { Button } from '../pieces/button.tsx'
import { copyText } from '../pieces/copy.ts'
import { Dialog, DialogActions } from '../pieces/dialog.tsx'
import { pieceWords } from '../pieces/pieces.words.ts'
import { showToast } from '../pieces/toasts.ts'
import { useWords } from '../words/use-words.ts'
import { shellWords } from './shell.words.ts'

interface LeaveDialogProps {
  title: string
  /** What is shown this once. */
  secret: string
  /** Whether the person has it. */
  isSafe: boolean
  /** Whether a tab of the same page is a place that no longer shows it. */
  endsWithTab?: boolean
}

/** Asks once whether a place is to be left while its secret has not been copied; a tab that is closed is asked about by the browser. */
export function LeaveDialog({ title, secret, isSafe, endsWithTab = false }: LeaveDialogProps): ReactNode {
  const words = useWords(shellWords)
  const { notCopied } = useWords(pieceWords)
  const isAsked = useRef(false)
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      if (isSafe || isAsked.current || (!endsWithTab && current.pathname === next.pathname)) return false
      isAsked.current = true
      return true
    },
    enableBeforeUnload: () => !isSafe && !isAsked.current,
    withResolver: true,
  })
  if (leaving.status !== 'blocked') return null
  const copyAndLeave = async (): Promise<void> => {
    if (await copyText(secret)) leaving.proceed()
    else showToast(notCopied, { kind: 'failure' })
  }
  return (
    <Dialog title={title} isOpen onClose={leaving.reset}>
      <p>{words.leaveWhy}</p>
      <DialogActions>
        <Button kind="quiet" onClick={leaving.proceed}>
          {words.leave}
        </Button>
        <Button onClick={leaving.reset}>{words.stay}</Button>
        <Button kind="primary" onClick={() => void copyAndLeave()}>
          {words.copyAndLeave}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
