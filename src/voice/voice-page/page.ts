/** The HTML of the page, which its scripts then fill. */
import type { Language } from '#platform/errors'
import { type Html, html, scriptJson } from '#platform/html'
import { inLanguage, pagePhrases, scriptPhrases } from './phrases.ts'

/** Nothing is loaded from elsewhere, no inline script runs, and the page sends only to this server. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'media-src blob:',
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export const pageHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'permissions-policy': 'microphone=(self), camera=(), geolocation=()',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // A stranger's page that opens this one in a new window cannot control that window, nor lead it elsewhere.
  'cross-origin-opener-policy': 'same-origin',
}

const icon =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Crect width=%2216%22 height=%2216%22 rx=%224%22 fill=%22%230b7a75%22/%3E%3Cpath d=%22M8 3l5 5-5 5-5-5z%22 fill=%22%23fff%22/%3E%3C/svg%3E'

type Translate = (name: keyof typeof pagePhrases) => string

export function pageOf(language: Language): string {
  const translate: Translate = (name) => pagePhrases[name][language]
  return html`<!doctype html>
<html lang="${language}" dir="${language === 'fa' ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${translate('title')} · Kherad</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="/voice/page.css">
<script src="/voice/preferences.js"></script>
<script type="application/json" id="phrases">${scriptJson(inLanguage(scriptPhrases, language))}</script>
<script type="module" src="/voice/page.js"></script>
</head>
<body>
${header(translate, language)}
<main>
<noscript><p class="notice">${translate('noScript')}</p></noscript>
<div class="notice" id="insecure" role="alert" hidden></div>
${signIn(translate)}
${keyForm(translate)}
<div id="desk" hidden>
${settings(translate)}
${call(translate)}
${list(translate)}
</div>
</main>
</body>
</html>`.text
}

function header(translate: Translate, language: Language): Html {
  const other =
    language === 'fa'
      ? { code: 'en', dir: 'ltr', name: 'English' }
      : { code: 'fa', dir: 'rtl', name: 'فارسی' }
  return html`<div class="bar"><a class="home" href="/">${translate('console')}</a></div>
<header>
<div class="top"><h1>${translate('title')}</h1><a class="language" id="other-language" href="?lang=${other.code}" hreflang="${other.code}" lang="${other.code}" dir="${other.dir}">${other.name}</a></div>
<p class="lead">${translate('lead')}</p>
</header>`
}

/** The way in by a session, and in whose project a person who has signed in calls. */
const signIn = (
  translate: Translate,
): Html => html`<section id="sign-in" aria-labelledby="sign-in-title" hidden>
<h2 id="sign-in-title">${translate('signInTitle')}</h2>
<p class="hint">${translate('signInHint')}</p>
<p class="error" id="sign-in-error" role="alert"></p>
<p><a class="button" href="/sign-in?return_to=%2Fvoice">${translate('signIn')}</a></p>
</section>
<p id="session-line" hidden><label for="project">${translate('project')}</label> <select id="project" dir="auto"></select> <button type="button" class="plain" id="use-key">${translate('otherKey')}</button></p>`

/** The form of the key. Without a name the field's value is part of no form, and `new-password` keeps password managers from offering to store it. */
const keyForm = (translate: Translate): Html => html`<form id="key-form" hidden>
<label for="key">${translate('key')}</label>
<div class="row"><input id="key" type="password" dir="ltr" autocomplete="new-password" autocapitalize="off" spellcheck="false" maxlength="200" aria-describedby="key-hint key-error">
<button type="submit">${translate('useKey')}</button></div>
<p class="hint" id="key-hint">${translate('keyHint')}</p>
<p class="error" id="key-error" role="alert"></p>
</form>
<p id="key-line" hidden>${translate('keyInUse')} <code dir="ltr" id="key-shown"></code> <button type="button" class="plain" id="forget">${translate('forgetKey')}</button></p>`

/** A list of names, most of them Latin, which are cut at their ends where there is no room. */
const choice = (id: string, label: string): Html =>
  html`<div class="choice"><label for="${id}">${label}</label><select id="${id}" dir="auto"></select></div>`

const settings = (translate: Translate): Html => html`<fieldset id="settings">
<legend>${translate('settings')}</legend>
<div class="choices">${choice('model', translate('model'))}${choice('voice', translate('voice'))}${choice('agent', translate('agent'))}</div>
<p class="hint" id="choices-hint" hidden></p>
<p class="check"><input type="checkbox" id="keep" aria-describedby="keep-hint"><label for="keep">${translate('keep')}</label></p>
<p class="hint" id="keep-hint">${translate('keepHint')}</p>
</fieldset>`

const call = (
  translate: Translate,
): Html => html`<section id="call" aria-labelledby="call-title" data-state="idle">
<h2 id="call-title" class="unseen">${translate('call')}</h2>
<button type="button" id="talk"><span class="disc" aria-hidden="true"></span><span id="talk-label">${translate('start')}</span></button>
<p id="state" aria-live="off"></p>
<dl class="figures" id="figures" hidden>
<div><dt>${translate('cost')}</dt><dd id="spent"></dd></div>
<div><dt>${translate('held')}</dt><dd id="held"></dd></div>
<div><dt>${translate('time')}</dt><dd id="time"></dd></div>
</dl>
<p id="note" role="status"></p>
<p class="error" id="call-error" role="alert"></p>
<h3 id="transcript-title" hidden>${translate('transcript')}</h3>
<ol id="transcript" aria-labelledby="transcript-title" tabindex="0" hidden></ol>
<p class="unseen" id="spoken" aria-live="polite"></p>
<audio id="sound" autoplay></audio>
</section>`

const list = (translate: Translate): Html => html`<section id="calls" aria-labelledby="calls-title">
<div class="top"><h2 id="calls-title">${translate('calls')}</h2><button type="button" class="plain" id="reload">${translate('reload')}</button></div>
<p class="hint">${translate('callsHint')}</p>
<p class="error" id="calls-error" role="alert"></p>
<ul id="calls-list"></ul>
<button type="button" class="plain" id="more" hidden>${translate('more')}</button>
</section>`
