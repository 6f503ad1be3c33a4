/** The page of a key that was just made: its secret, which is shown this once. Whatever copies the secret counts: buttons, and a selection copied by hand. */
import { type ReactNode, useState } from 'react'
import { Card } from '../../pieces/card.tsx'
import { CopyField } from '../../pieces/copy-field.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { LeaveDialog } from '../../shell/leave-dialog.tsx'

interface FreshKeyProps {
  secret: string
  words: { made: string; madeLead: string; secret: string; leaveTitle: string }
  /** The way to the list. */
  back: ReactNode
  /** What stands below the secret, and has it too. */
  children(onCopied: () => void): ReactNode
}

export function FreshKey({ secret, words, back, children }: FreshKeyProps): ReactNode {
  const [isCopied, setCopied] = useState(false)
  const noteCopied = (): void => setCopied(true)
  return (
    <>
      <PageHead title={words.made} lead={words.madeLead} actions={back} />
      <div onCopy={noteCopied} role="group" aria-label={words.secret}>
        <Card isMarked>
          <CopyField text={secret} isPrimary onCopied={noteCopied} />
        </Card>
      </div>
      {children(noteCopied)}
      <LeaveDialog title={words.leaveTitle} secret={secret} isSafe={isCopied} />
    </>
  )
}
