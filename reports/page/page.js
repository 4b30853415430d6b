// Draws the charts. Every figure of theirs stands in a table too, so without this nothing is lost.
'use strict';
(() => {
  const figures = [...document.querySelectorAll('figure.chart')];
  if (typeof Chart === 'undefined' || figures.length === 0) return;
  document.documentElement.classList.remove('no-charts');
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const charts = [];

  // "low" and "high" of a series are drawn as a bar between them, its "y" as a dot.
  const datasetsOf = (spec) => spec.series.flatMap((series, i) => {
    const ink = colour(`--chart-${(i % 6) + 1}`);
    const base = {label: series.name, borderColor: ink, backgroundColor: ink};
    if (spec.type === 'line') {
      const many = series.y.length > 60;
      return [{...base, type: 'line', data: series.y, borderWidth: 2, pointRadius: many ? 0 : 3, tension: 0}];
    }
    if (!series.low) {
      return [{...base, type: 'bar', data: series.y, maxBarThickness: 22, categoryPercentage: .7}];
    }
    const ranges = series.low.map((low, at) => [low, series.high[at]]);
    return [
      {...base, type: 'bar', data: ranges, backgroundColor: ink + '66', borderWidth: 0, barThickness: 10},
      {...base, type: 'line', data: series.y, showLine: false, pointRadius: 4, hidden: false, label: `${series.name}, median`},
    ];
  });

  const draw = () => {
    charts.splice(0).forEach((chart) => chart.destroy());
    Chart.defaults.color = colour('--soft');
    Chart.defaults.borderColor = colour('--line');
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.animation = false;
    for (const figure of figures) {
      const spec = JSON.parse(figure.querySelector('script').textContent);
      const flat = spec.type === 'bar' && spec.horizontal;
      const values = {
        type: spec.log ? 'logarithmic' : 'linear', beginAtZero: spec.type === 'bar' && !spec.log,
        stacked: !!spec.stacked, grace: '4%',
        title: {display: !!spec.y_title, text: spec.y_title},
      };
      const names = {
        stacked: !!spec.stacked, grid: {display: false}, ticks: {maxRotation: 45, autoSkip: !flat},
        title: {display: !!spec.x_title, text: spec.x_title},
      };
      const linear = spec.type === 'line' && spec.numeric;
      if (linear) Object.assign(names, {type: 'linear'});
      charts.push(new Chart(figure.querySelector('canvas'), {
        data: {
          labels: spec.x,
          datasets: datasetsOf(spec).map((set) => linear ?
              {...set, data: set.data.map((y, at) => ({x: spec.x[at], y}))} : set),
        },
        options: {
          responsive: true, maintainAspectRatio: false, indexAxis: flat ? 'y' : 'x',
          interaction: {mode: 'index', axis: flat ? 'y' : 'x', intersect: false},
          scales: flat ? {x: values, y: names} : {x: names, y: values},
          plugins: {legend: {display: spec.series.length > 1, position: 'bottom', labels: {boxWidth: 10, boxHeight: 10}}},
        },
      }));
    }
  };
  draw();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);

  // What is folded is printed too, by browsers that need help with it.
  let opened = [];
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details:not([open], .raw)')];
    opened.forEach((details) => { details.open = true; });
  });
  addEventListener('afterprint', () => opened.forEach((details) => { details.open = false; }));
})();
