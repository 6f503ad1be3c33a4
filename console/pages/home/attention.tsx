import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge, type BadgeKind } from '../../pieces/badge.tsx'
import { Card, Note } from '../../pieces/card.tsx'
import { CopyField } from '../../pieces/copy-field.tsx'
import { cleanName } from '../../words/clean-name.ts'
import { formatNumber, formatPercent } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import styles from './home.module.css'
import { homeWords } from './home.words.ts'
import type { Need } from './needs.ts'

const kinds: Record<Need['name'], BadgeKind> = {
  creditGone: 'failure',
  creditLow: 'attention',
  capReached: 'failure',
  capNear: 'attention',
  keyEnds: 'attention',
}

/** More keys than these are on their own page. */
const shown = 6

interface AttentionProps {
  needs: readonly Need[]
  mayRenew: boolean
  /** The command by which the operator adds credit; undefined for others, who ask the operator. */
  grant: string | undefined
}

export function Attention({ needs, mayRenew, grant }: AttentionProps): ReactNode {
  const words = useWords(homeWords)
  return (
    <Card title={words.attention}>
      {needs.length === 0 && <Note>{words.nothingNeeded}</Note>}
      <ul className={styles['needs']}>
        {needs.slice(0, shown).map((need) => (
          <li key={need.name === 'keyEnds' ? need.id : need.name}>
            <Badge kind={kinds[need.name]}>{words.badges[need.name]}</Badge> <Sentence need={need} />
            {need.name === 'keyEnds' && mayRenew && (
              <>
                {' '}
                <Link to="/keys/$id" params={{ id: need.id }} search={{ change: 'expires_at' }}>
                  {words.renew}
                </Link>
              </>
            )}
            {need.name.startsWith('credit') && <WhoAdds grant={grant} />}
          </li>
        ))}
      </ul>
      {needs.length > shown && <Link to="/keys">{words.allKeys}</Link>}
    </Card>
  )
}

function Sentence({ need }: { need: Need }): string {
  const words = useWords(homeWords)
  const locale = useLocale()
  if (need.name === 'capNear') return words.capNear[need.period](formatPercent(locale, need.part))
  if (need.name === 'capReached') return words.capReached[need.period]
  if (need.name !== 'keyEnds') return words[need.name]
  const name = `\u2068${cleanName(need.key)}\u2069`
  return need.days <= 1 ? words.keyEndsToday(name) : words.keyEnds(name, formatNumber(locale, need.days))
}

/** Who can add credit, and for that person how. */
function WhoAdds({ grant }: { grant: string | undefined }): ReactNode {
  const words = useWords(homeWords)
  if (grant === undefined) return ` ${words.askOperator}`
  return (
    <>
      {' '}
      {words.youAdd}
      <CopyField text={grant} />
    </>
  )
}
