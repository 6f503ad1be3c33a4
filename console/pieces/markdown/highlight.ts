/** The colours of code; a chunk of its own, which the first code block loads. */
import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import css from 'highlight.js/lib/languages/css'
import go from 'highlight.js/lib/languages/go'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

/** A piece of code and what it is; undefined where it is nothing that has a colour. */
export interface CodeToken {
  text: string
  kind: string | undefined
}

interface Scope {
  scope?: string
  children: (Scope | string)[]
}

const languages = { bash, css, go, java, javascript, json, php, python, sql, typescript, xml, yaml }
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language)

/** The pieces of a code, which joined again are the code; undefined where its language is not known here. */
export function tokensOf(code: string, language: string): CodeToken[] | undefined {
  if (!highlighter.getLanguage(language)) return undefined
  const { _emitter: emitter } = highlighter.highlight(code, { language, ignoreIllegals: true })
  const tokens: CodeToken[] = []
  const walk = (node: Scope | string, kind: string | undefined): void => {
    if (typeof node === 'string') tokens.push({ text: node, kind })
    else for (const child of node.children) walk(child, node.scope?.split('.')[0] ?? kind)
  }
  walk((emitter as unknown as { rootNode: Scope }).rootNode, undefined)
  return tokens
}
