/** What stands around every page of the shell: direction, theme and the place of messages. */
import {
  createTheme,
  DirectionProvider,
  type MantineColorsTuple,
  MantineProvider,
  useDirection,
} from '@mantine/core'
import '@mantine/core/styles/CloseButton.css'
import '@mantine/core/styles/Combobox.css'
import '@mantine/core/styles/Input.css'
import '@mantine/core/styles/Modal.css'
import '@mantine/core/styles/ModalBase.css'
import '@mantine/core/styles/Overlay.css'
import '@mantine/core/styles/Paper.css'
import '@mantine/core/styles/Popover.css'
import '@mantine/core/styles/ScrollArea.css'
import '@mantine/core/styles/UnstyledButton.css'
import { type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { ToastRegion } from '../pieces/toast-region.tsx'
import { directionOf, locale } from '../words/locale.ts'
import { useLocale } from '../words/use-words.ts'
import './mantine.css'
import { shownScheme, subscribeScheme } from './scheme.ts'

/** Mantine asks for ten shades; its parts that we use take the colours of tokens.css by their class names. */
const teal: MantineColorsTuple = Array.from(
  { length: 10 },
  () => 'var(--teal)',
) as unknown as MantineColorsTuple

const theme = createTheme({
  primaryColor: 'teal',
  colors: { teal },
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  defaultRadius: 8,
  respectReducedMotion: true,
})

const nonce = (): string => document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? ''

export function Root({ children }: { children: ReactNode }): ReactNode {
  const scheme = useSyncExternalStore(subscribeScheme, shownScheme)
  return (
    <DirectionProvider initialDirection={directionOf(locale())} detectDirection={false}>
      <MantineProvider
        theme={theme}
        forceColorScheme={scheme}
        getStyleNonce={nonce}
        deduplicateCssVariables={false}
      >
        <FollowLocale />
        {children}
        <ToastRegion />
      </MantineProvider>
    </DirectionProvider>
  )
}

/** Turns the parts of Mantine when the person chooses the other language. */
function FollowLocale(): ReactNode {
  const direction = directionOf(useLocale())
  const { setDirection } = useDirection()
  useEffect(() => setDirection(direction), [direction, setDirection])
  return null
}
