import type { ReactNode } from 'react'
import { useWords } from '../../words/use-words.ts'
import styles from './requests.module.css'
import { requestsWords } from './requests.words.ts'

interface LiveButtonProps {
  isLive: boolean
  isFailing: boolean
  onChange(isLive: boolean): void
}

/** Whether new calls come into the list by themselves. */
export function LiveButton({ isLive, isFailing, onChange }: LiveButtonProps): ReactNode {
  const words = useWords(requestsWords)
  const state = !isLive ? 'paused' : isFailing ? 'failing' : 'live'
  return (
    <button
      type="button"
      className={styles['live']}
      aria-pressed={isLive}
      data-state={state}
      title={!isLive ? words.pausedHint : isFailing ? words.noNews : words.liveHint}
      onClick={() => onChange(!isLive)}
    >
      <span className={styles['dot']} aria-hidden="true" />
      {words.live}
    </button>
  )
}
