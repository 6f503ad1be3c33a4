/** The link of an invitation on a server without mail, for its operator to hand over. */
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { meQuery } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { CopyField } from '../../pieces/copy-field.tsx'
import { Dialog, DialogActions } from '../../pieces/dialog.tsx'
import { Notice, useSentence } from '../../pieces/states.tsx'
import { useWords } from '../../words/use-words.ts'
import { membersWords } from './members.words.ts'

/** The letter of an invitation is looked for so often: it can be shown once the job has found that there is no mail. */
const tries = 5
const pauseMs = 1_000

/** The link of the newest invitation to an address; undefined while it cannot be shown. That it was shown is written to the audit log. */
async function readLink(email: string): Promise<string | undefined> {
  for (let attempt = 1; attempt <= tries; attempt++) {
    const { data } = await call('GET /v1/operator/mails', { query: { state: 'unsent', limit: 100 } })
    const mail = data.find((one) => one.kind === 'invitation' && one.address === email && one.can_reveal)
    if (mail) return (await call('POST /v1/operator/mails/{id}/reveal', { params: { id: mail.id } })).link
    if (attempt < tries) await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return undefined
}

interface HandOverProps {
  email: string
  onClose(): void
}

/** What to do with an invitation that no mail carries: operators see its link, others ask one of them. */
export function HandOver({ email, onClose }: HandOverProps): ReactNode {
  const words = useWords(membersWords)
  const me = useQuery(meQuery)
  const [link, setLink] = useState<string>()
  const [isMissing, setMissing] = useState(false)
  const show = useAction(async () => {
    setMissing(false)
    const found = await readLink(email)
    setLink(found)
    setMissing(found === undefined)
  })
  const sentence = useSentence(show.error)
  if (!me.data?.is_operator)
    return (
      <>
        <p>{words.askOperator}</p>
        <DialogActions>
          <Button kind="primary" onClick={onClose}>
            {words.done}
          </Button>
        </DialogActions>
      </>
    )
  return (
    <>
      <p>{words.linkLead}</p>
      {show.error !== undefined && <Notice kind="failure">{sentence}</Notice>}
      {isMissing && <Notice kind="attention">{words.noLink}</Notice>}
      {link !== undefined && <CopyField text={link} isPrimary />}
      <DialogActions {...(link === undefined && { note: words.showNote })}>
        {link === undefined && (
          <Button kind="primary" isBusy={show.isBusy} onClick={() => show.run()}>
            {words.showLink}
          </Button>
        )}
        <Button onClick={onClose}>{words.done}</Button>
      </DialogActions>
    </>
  )
}

export function LinkDialog({ email, onClose }: HandOverProps): ReactNode {
  const words = useWords(membersWords)
  return (
    <Dialog title={words.linkOf(`\u2068${email}\u2069`)} isOpen onClose={onClose}>
      <HandOver email={email} onClose={onClose} />
    </Dialog>
  )
}
