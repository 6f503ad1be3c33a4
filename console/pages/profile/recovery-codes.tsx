/** The codes for whoever has lost the second factor: how many are left, and new ones, which are shown once. */
import { type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { factorsQuery, queries } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { CopyButton } from '../../pieces/copy-button.tsx'
import { Notice } from '../../pieces/states.tsx'
import { LeaveDialog } from '../../shell/leave-dialog.tsx'
import { Failure } from '../../sign-in/failure.tsx'
import { formatNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { factorWords } from './factors.words.ts'
import styles from './profile.module.css'
import { recoveryFile } from './recovery-text.ts'

/** With so few codes left a person should make new ones. */
const fewCodes = 3

interface CodesLeftProps {
  remaining: number
  onCodes(codes: readonly string[]): void
}

export function CodesLeft({ remaining, onCodes }: CodesLeftProps): ReactNode {
  const words = useWords(factorWords)
  const locale = useLocale()
  const renew = useAction(async () => {
    const made = await call('POST /v1/me/recovery-codes')
    await queries.invalidateQueries({ queryKey: factorsQuery.queryKey })
    onCodes(made.recovery_codes)
  })
  return (
    <Card title={words.codes}>
      <p className={styles['soft']}>
        {words.codesWhy} {remaining > 0 && words.codesLeft(formatNumber(locale, remaining))}
      </p>
      {remaining <= fewCodes && (
        <Notice kind="attention">{remaining === 0 ? words.codesGone : words.codesLow}</Notice>
      )}
      <Failure error={renew.error} />
      <div className={styles['actions']}>
        <Button isBusy={renew.isBusy} onClick={() => renew.run()}>
          {words.renew}
        </Button>
        {remaining > 0 && <small>{words.renewNote}</small>}
      </div>
    </Card>
  )
}

interface FreshCodesProps {
  codes: readonly string[]
  onKept(): void
}

/** The codes, this once: to copy, to keep as a file, to print. */
export function FreshCodes({ codes, onKept }: FreshCodesProps): ReactNode {
  const words = useWords(factorWords)
  const head = words.fileHead(location.host)
  const [isSafe, setSafe] = useState(false)
  const text = codes.join('\n')
  const download = (): void => {
    const file = new Blob([recoveryFile(head, words.fileNote, codes)], { type: 'text/plain' })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(file)
    link.download = 'kherad-recovery-codes.txt'
    link.click()
    URL.revokeObjectURL(link.href)
    setSafe(true)
  }
  const printSheet = (): void => {
    print()
    setSafe(true)
  }
  return (
    <div className={styles['sheet']}>
      <Card title={head} isMarked>
        <p>{words.codesOnce}</p>
        <ul className={styles['codes']} aria-label={words.codes}>
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <p className={styles['soft']}>{words.fileNote}</p>
        <div className={`${styles['actions']} ${styles['screen']}`}>
          <CopyButton text={text} onCopied={() => setSafe(true)} />
          <Button onClick={download}>{words.download}</Button>
          <Button onClick={printSheet}>{words.print}</Button>
          <Button kind="primary" onClick={onKept}>
            {words.kept}
          </Button>
        </div>
      </Card>
      <LeaveDialog title={words.leaveTitle} secret={text} isSafe={isSafe} endsWithTab />
    </div>
  )
}
