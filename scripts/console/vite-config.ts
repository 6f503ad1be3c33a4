/** How Vite builds the console, and serves its sources while they are worked on. */
import path from 'node:path'
import type { InlineConfig, Plugin } from 'vite'
import { nonceMark } from '#account/console-build'

/** Browsers of 2024 and later: they know `light-dark()` and `:dir()`, and need no older forms. */
const browsers = ['chrome123', 'edge123', 'firefox120', 'safari17.5']

/** The style of KaTeX names each font in three forms; every browser above reads the first one, so no other becomes a file. */
const oneFormOfFonts: Plugin = {
  name: 'kherad:one-form-of-fonts',
  enforce: 'pre',
  transform(code, id) {
    if (!/katex\.min\.css(?:\?|$)/.test(id)) return undefined
    return code.replace(/,url\([^)]+\.(?:woff|ttf)\) format\("[a-z]+"\)/g, '')
  },
}

export const viteConfig = (root: string): InlineConfig => ({
  configFile: false,
  root: path.join(root, 'console'),
  base: '/',
  publicDir: false,
  logLevel: 'warn',
  html: { cspNonce: nonceMark },
  plugins: [oneFormOfFonts],
  oxc: { jsx: { runtime: 'automatic' } },
  build: {
    write: false,
    target: browsers,
    cssTarget: browsers,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: {
      // Packages of React begin with "use client", which is for servers that draw pages; there is none here.
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log)
      },
      input: ['index.html', 'sign-in.html'].map((name) => path.join(root, 'console', name)),
    },
  },
})
