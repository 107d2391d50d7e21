'use strict';
// Asks the node for figures every two seconds and shows them. Text goes into the page as text, never as HTML.

const EVERY = 2000;
const KEPT = 150; // looks that a chart goes back
const $ = id => document.getElementById(id);
const looks = [];
let chosen = null;

const whole = value => Math.round(value).toLocaleString('en');
const percent = (part, all) => all > 0 ? (100 * part / all).toFixed(0) + ' %' : '–';
function bytes(value) {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) { value /= 1024; unit++; }
  return value.toFixed(value < 10 && unit > 0 ? 1 : 0) + ' ' + units[unit];
}

function element(name, content, kind) {
  const made = document.createElement(name);
  if (content instanceof Node) made.append(content); else made.textContent = content;
  if (kind) made.className = kind;
  return made;
}

// A cell is text, an element, or [text, class].
function table(id, heads, rows, onclick) {
  const line = (cells, name) => {
    const row = document.createElement('tr');
    cells.forEach((cell, i) => {
      const [content, kind] = Array.isArray(cell) ? cell : [cell, ''];
      row.append(element(name, content, [heads[i][1] || '', kind].join(' ').trim()));
    });
    return row;
  };
  const head = document.createElement('thead'), body = document.createElement('tbody');
  head.append(line(heads.map(each => each[0]), 'th'));
  rows.forEach(({ key, cells }) => {
    const row = line(cells, 'td');
    if (onclick) {
      row.className = 'choice' + (key === chosen ? ' chosen' : '');
      row.tabIndex = 0;
      row.onclick = () => onclick(key);
      row.onkeydown = event => { if (event.key === 'Enter') onclick(key); };
    }
    body.append(row);
  });
  $(id).replaceChildren(head, body);
}

// What a counter grew by in a second since the look before; a node that was started again begins at 0. Where other nodes
// answered than before, sums over nodes cannot be compared.
function rate(now, before, list, key, name, counter) {
  if (before && before.answering !== now.answering) return 0;
  const old = before && before[list].find(each => each[key] === name);
  const current = now[list].find(each => each[key] === name);
  return old && current ? Math.max(0, current[counter] - old[counter]) / ((now.millis - before.millis) / 1000) : 0;
}

function meter(used, all) {
  const made = document.createElement('meter');
  Object.assign(made, { min: 0, max: 1, low: .85, high: .9, optimum: 0, value: all > 0 ? used / all : 0 });
  made.title = percent(used, all);
  return made;
}

function unprotected(now) {
  return now.slots.protection.surviving['0'] || 0;
}

// What is still to be copied, while something is.
function repair(now, before) {
  const left = now.repair.missing_bytes;
  if (!left) return [];
  const same = before && before.answering === now.answering;
  const copied = same ? Math.max(0, now.repair.copied_bytes - before.repair.copied_bytes) : 0;
  const speed = copied && copied / ((now.millis - before.millis) / 1000);
  return [['to be copied', bytes(left), 'mild'],
    ['until it is copied', speed > 0 ? whole(left / speed) + ' s' : 'waits', 'mild']];
}

function figures(now, before) {
  const sum = counter => now.nodes.reduce((all, node) => all + rate(now, before, 'nodes', 'id', node.id, counter), 0);
  const silent = now.nodes.filter(node => !node.answers).length;
  const away = now.drives.filter(drive => drive.state !== 'online').length;
  const gets = now.buckets.reduce((all, b) => all + rate(now, before, 'buckets', 'name', b.name, 'gets'), 0);
  const hits = now.buckets.reduce((all, b) => all + rate(now, before, 'buckets', 'name', b.name, 'hits'), 0);
  const shown = [
    ['nodes that do not answer', silent, silent > 0 ? 'bad' : 'good'],
    ['drives that do not serve', away, away > 0 ? 'bad' : 'good'],
    ['slots not served', now.slots.unopened, now.slots.unopened > 0 ? 'bad' : 'good'],
    ['slots with fewer replicas', now.slots.degraded, now.slots.degraded > 0 ? 'mild' : 'good'],
    ['slots that no loss more is to hit', unprotected(now), unprotected(now) > 0 ? 'bad' : 'good'],
    ...repair(now, before),
    ['requests a second', whole(sum('requests'))],
    ['out a second', bytes(sum('bytes_out'))],
    ['in a second', bytes(sum('bytes_in'))],
    ['reads served from drives', percent(hits, gets)],
  ];
  $('figures').replaceChildren(...shown.map(([name, value, kind]) => {
    const box = document.createElement('div');
    box.append(element('b', String(value), kind), name);
    return box;
  }));
}

function show(now, before) {
  $('cluster').textContent = now.cluster;
  $('notice').textContent = 'as ' + now.asked + ' knows it, ' + new Date(now.millis).toLocaleTimeString()
    + (now.muted.length ? '; muted: ' + now.muted.join(', ') : '');
  figures(now, before);
  table('nodes', [['node'], ['role'], ['state'], ['requests/s', 'number'], ['5xx/s', 'number'], ['out/s', 'number'],
    ['in/s', 'number'], ['under way', 'number'], ['version']], now.nodes.map(node => {
    const its = counter => rate(now, before, 'nodes', 'id', node.id, counter);
    return { key: node.id, cells: [node.id, node.role + (node.leads ? ', leads' : ''),
      node.answers ? ['answers', 'good'] : ['does not answer', 'bad'], whole(its('requests')), whole(its('errors')),
      bytes(its('bytes_out')), bytes(its('bytes_in')), whole(node.under_way), node.version] };
  }));
  table('drives', [['target'], ['drive', 'path'], ['state'], ['objects', 'number'], ['bytes', 'number'], ['used'],
    ['waiting', 'number'], ['errors', 'number']], now.drives.map(drive => ({ key: drive.path, cells: [drive.target,
    drive.path, [drive.state, drive.state === 'online' ? 'good' : 'bad'], whole(drive.objects), bytes(drive.bytes),
    meter(drive.bytes, drive.bytes + drive.free), whole(drive.waiting), whole(drive.errors)] })));
  table('buckets', [['bucket'], ['kind'], ['objects', 'number'], ['bytes', 'number'], ['quota', 'number'],
    ['GET/s', 'number'], ['from drives', 'number'], ['read/s', 'number']], now.buckets.map(bucket => {
    const its = counter => rate(now, before, 'buckets', 'name', bucket.name, counter);
    return { key: bucket.name, cells: [bucket.name, bucket.cached ? 'cached' : 'native', whole(bucket.objects),
      bytes(bucket.bytes), bucket.quota === null ? '–' : percent(bucket.bytes, bucket.quota), whole(its('gets')),
      percent(its('hits'), its('gets')), bytes(its('get_bytes'))] };
  }), choose);
  $('nojobs').textContent = now.jobs_unknown || (now.jobs.length ? '' : 'None yet.');
  table('jobs', [['job'], ['kind'], ['of'], ['state'], ['done', 'number'], ['failed', 'number'], ['progress']],
    now.jobs.map(job => ({ key: job.id, cells: [job.id, job.kind, job.bucket + '/' + (job.template || job.prefix || ''),
      [job.state, job.state === 'failed' ? 'bad' : ''], whole(job.done + job.skipped),
      [whole(job.failed), job.failed > 0 ? 'bad' : ''], progress(job)] })));
  chart();
}

function progress(job) {
  if (job.state !== 'running') return '';
  const made = document.createElement('progress');
  if (job.objects_all) {
    made.max = job.objects_all;
    made.value = job.done + job.skipped + job.failed;
  }
  return made;
}

function choose(name) {
  chosen = name;
  show(looks.at(-1), looks.at(-2));
}

// Bytes read a second of the chosen bucket.
function chart() {
  const figure = $('reads');
  figure.hidden = chosen === null;
  if (chosen === null) return;
  const rates = looks.slice(1).map((now, i) => rate(now, looks[i], 'buckets', 'name', chosen, 'get_bytes'));
  const most = Math.max(1, ...rates);
  figure.querySelector('figcaption').textContent = chosen + ': bytes read a second, ' + bytes(most) + ' at most';
  const ns = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(ns, 'svg'), path = document.createElementNS(ns, 'path');
  svg.setAttribute('viewBox', '0 0 ' + (KEPT - 2) + ' 100');
  svg.setAttribute('preserveAspectRatio', 'none');
  const first = KEPT - 1 - rates.length;
  path.setAttribute('d', rates.map((value, i) => (i ? 'L' : 'M') + (first + i) + ' ' + (98 - 96 * value / most)).join(' '));
  svg.append(path);
  figure.querySelector('svg')?.remove();
  figure.append(svg);
}

async function look() {
  try {
    const answer = await fetch('data');
    if (answer.status === 403) {
      $('notice').textContent = 'The link has ended: sluice ui prints another one.';
      return;
    }
    if (!answer.ok) throw new Error(await answer.text());
    const said = await answer.json();
    said.answering = said.nodes.filter(node => node.answers).map(node => node.id).join();
    looks.push(said);
    if (looks.length > KEPT) looks.shift();
    show(looks.at(-1), looks.at(-2));
  } catch (failure) {
    $('notice').textContent = 'The node does not answer: ' + failure.message;
  }
  setTimeout(look, EVERY);
}

look();
