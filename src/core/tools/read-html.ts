import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { decodeText } from './decode-text.ts'
import { excerpt } from './excerpt.ts'
import { isFaded, isHidden } from './is-hidden.ts'
import { type Element, toMarkdown } from './markdown.ts'
import { pruneHtml } from './prune-html.ts'
import { cleanText, isDay } from './tidy.ts'
import type { PageWork, ReadPage } from './web-fetch.ts'

/** Elements that never are text of the page; `surroundings` are those around it on pages that are not articles. */
const noise =
  'title, script, style, noscript, template, iframe, object, embed, svg, canvas, dialog, nav, [role="navigation"], [hidden], [aria-hidden="true"]'
const surroundings = 'footer, aside, form, [role="banner"], [role="contentinfo"]'

/** Maximum elements searched for an article, since the time grows with the page; a larger page is a list or an attack. */
const maxOfArticle = { elements: 20_000, characters: 2_000_000 }
/** The least share of a page's text that Readability has to find, so that its result is taken; a menu or a cookie notice has less. */
const leastShare = 0.2

/** Title, day and main content of a page of HTML. Only for a confined process: a page may be made to take very long. */
export function readHtml({ bytes, contentType, url, maxBytes }: PageWork): ReadPage {
  const pruned = pruneHtml(decodeText(bytes, contentType))
  const document = parsePage(pruned.html)
  const base = baseOf(document, url)
  const publishedAt = publishedOn(document)
  const title = titleOf(document)
  const isLarge = pruned.elements > maxOfArticle.elements || pruned.html.length > maxOfArticle.characters
  const main = isLarge
    ? withoutSurroundings(document)
    : (articleOf(document) ?? withoutSurroundings(parsePage(pruned.html)))
  const { text, cut } = excerpt(cleanText(toMarkdown(main, base)), maxBytes)
  return { title, text, cut: cut || pruned.cut, ...(publishedAt !== undefined && { publishedAt }) }
}

type HtmlDocument = ReturnType<typeof parseHTML>['document']

/**
 * Opens what `pruneHtml` left, in a frame of our own that includes the content of its head. Elements that are not shown to people are removed at
 * once, because Readability removes the styles that say so.
 */
function parsePage(html: string): HtmlDocument {
  const { document } = parseHTML(`<html><head></head><body>${html}</body></html>`)
  for (const element of document.querySelectorAll('[style]')) if (isHidden(element)) element.remove()
  const faded = [...document.querySelectorAll('[style]')].filter(isFaded)
  // Pages whose text is only revealed by a script, which does not run here, are read too.
  const isMost = faded.reduce((sum, element) => sum + lengthOf(element), 0) > lengthOf(document.body) / 2
  if (!isMost) for (const element of faded) element.remove()
  return document
}

const lengthOf = ({ textContent }: Pick<Element, 'textContent'>): number => textContent?.length ?? 0

function baseOf(document: HtmlDocument, url: string): string {
  const base = document.querySelector('base[href]')?.getAttribute('href') ?? ''
  return URL.parse(base, url)?.href ?? url
}

function titleOf(document: HtmlDocument): string {
  const social = document.querySelector('meta[property="og:title"]')?.getAttribute('content')
  const title = document.querySelector('title')?.textContent ?? document.querySelector('h1')?.textContent
  return cleanText(social || title || '')
    .replace(/\s+/g, ' ')
    .slice(0, 300)
}

const dates = [
  ['meta[property="article:published_time"]', 'content'],
  ['meta[itemprop="datePublished"]', 'content'],
  [
    'meta[name="date"], meta[name="pubdate"], meta[name="publish_date"], meta[name="dc.date"], meta[name="DC.date.issued"]',
    'content',
  ],
  ['time[itemprop="datePublished"], time[pubdate]', 'datetime'],
  ['article time[datetime]', 'datetime'],
] as const

/** The day in the page's data for machines; a date for people in some calendar stays in the text. */
function publishedOn(document: HtmlDocument): string | undefined {
  for (const [selector, attribute] of dates) {
    const value = document.querySelector(selector)?.getAttribute(attribute)?.trim()
    if (value && isDay(value)) return value
  }
  for (const script of document.querySelectorAll('script[type="application/ld+json"]')) {
    const value = /"datePublished"\s*:\s*"([^"]+)"/.exec(script.textContent ?? '')?.[1]
    if (value && isDay(value)) return value
  }
  return undefined
}

/** The article of the page without menus and advertisements; undefined where the page is no article. Changes the document. */
function articleOf(document: HtmlDocument): Element | undefined {
  for (const element of document.querySelectorAll(noise)) element.remove()
  const total = document.body?.textContent?.length ?? 0
  try {
    const article = new Readability(document as never, { serializer: (content) => content }).parse()
    return article?.content && (article.textContent?.length ?? 0) >= leastShare * total
      ? (article.content as Element)
      : undefined
  } catch {
    // Readability fails on some documents; these are read entirely.
    return undefined
  }
}

function withoutSurroundings(document: HtmlDocument): Element {
  for (const element of document.querySelectorAll(`${noise}, ${surroundings}`)) element.remove()
  return (document.body ?? document.documentElement) as unknown as Element
}
